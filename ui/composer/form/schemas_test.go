package form

// The shapes of schemas that generators write, in words of our own.
const (
	// As zod writes them.
	zodSchema = `{"type":"object","properties":{"location":{"type":"string","enum":["New York","Chicago","Los Angeles"],"description":"Which city"},"duration":{"type":"number","default":10,"description":"How long it takes, in seconds"},"steps":{"type":"integer","exclusiveMinimum":0,"maximum":9007199254740991,"default":5},"includeImage":{"type":"boolean","default":false,"description":"With a picture"},"note":{"anyOf":[{"type":"string"},{"type":"null"}]},"pair":{"type":"array","items":[{"type":"string"},{"type":"number"}],"minItems":2,"maxItems":2}},"required":["location","duration"],"additionalProperties":false,"$schema":"http://json-schema.org/draft-07/schema#"}`

	// As pydantic writes them.
	pydanticSchema = `{"$defs":{"Priority":{"enum":["low","normal","high"],"title":"Priority","type":"string"},"Address":{"properties":{"street":{"title":"Street","type":"string"},"zip":{"anyOf":[{"pattern":"^[0-9]{5}$","type":"string"},{"type":"null"}],"default":null,"title":"Zip"}},"required":["street"],"title":"Address","type":"object"},"Item":{"properties":{"sku":{"minLength":1,"title":"Sku","type":"string"},"amount":{"default":1,"exclusiveMinimum":0,"title":"Amount","type":"integer"}},"required":["sku"],"title":"Item","type":"object"}},"properties":{"priority":{"$ref":"#/$defs/Priority","default":"normal"},"to":{"$ref":"#/$defs/Address"},"bill":{"anyOf":[{"$ref":"#/$defs/Address"},{"type":"null"}],"default":null},"items":{"items":{"$ref":"#/$defs/Item"},"minItems":1,"title":"Items","type":"array"},"tags":{"default":[],"items":{"type":"string"},"title":"Tags","type":"array","uniqueItems":true},"when":{"anyOf":[{"format":"date-time","type":"string"},{"type":"integer"},{"type":"null"}],"default":null,"title":"When"}},"required":["to","items"],"title":"OrderArguments","type":"object"}`

	// As a large Go server writes them.
	githubSchema = `{"type":"object","properties":{"method":{"type":"string","description":"What to do.\nOptions are:\n- get\n- list","enum":["get","list"]},"owner":{"type":"string","description":"Owner of the repository"},"repo":{"type":"string","description":"Name of the repository"},"labels":{"type":"array","items":{"type":"string"},"description":"Labels"},"perPage":{"type":"number","minimum":1,"maximum":100,"description":"Results on a page"},"files":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"],"additionalProperties":false}}},"required":["method","owner","repo"]}`

	// As a browser's server writes them.
	browserSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"fields":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string","description":"What people call the field"},"type":{"type":"string","enum":["textbox","checkbox","slider"]},"value":{"type":"string"}},"required":["name","type","value"],"additionalProperties":false}},"modifiers":{"type":"array","items":{"type":"string","enum":["Alt","Control","Shift"]}},"timeout":{"type":"number"},"headers":{"type":"object","additionalProperties":{"type":"string"},"propertyNames":{"type":"string"}}},"required":["fields"],"additionalProperties":false}`

	// An elicitation's, with the titles of 2025-11-25.
	elicitSchema = `{"type":"object","properties":{"name":{"type":"string","title":"Full name","minLength":1,"maxLength":50},"mail":{"type":"string","format":"email"},"born":{"type":"string","format":"date"},"size":{"type":"string","oneOf":[{"const":"s","title":"Small"},{"const":"m","title":"Medium"}],"default":"m"},"old":{"type":"string","enum":["a","b"],"enumNames":["Alpha","Beta"]},"many":{"type":"array","items":{"anyOf":[{"const":"x","title":"Ex"},{"const":"y","title":"Why"}]},"minItems":1},"agree":{"type":"boolean"}},"required":["name","agree"]}`

	// A union with a member that tells its alternatives apart, on top of members
	// that all have.
	unionSchema = `{"type":"object","properties":{"id":{"type":"string"},"shape":{"oneOf":[{"title":"Circle","type":"object","properties":{"kind":{"const":"circle"},"radius":{"type":"number","minimum":0}},"required":["kind","radius"]},{"title":"Square","type":"object","properties":{"kind":{"const":"square"},"side":{"type":"number"}},"required":["kind","side"]},{"type":"string","title":"Name"}]}},"required":["shape"]}`

	// A tree that refers to itself, and a list by an anchor.
	treeSchema = `{"type":"object","properties":{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#"}},"next":{"$ref":"#node"}},"required":["name"],"$defs":{"node":{"$anchor":"node","type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#node"}},"required":["next"]}}}`

	// allOf, members by pattern, free members, several types, no type at all.
	mixedSchema = `{"type":"object","allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"$ref":"#/definitions/b"}],"definitions":{"b":{"properties":{"b":{"type":["string","number","null"]},"a":{"minLength":2}}}},"properties":{"any":{},"yes":true,"no":false,"x":{"const":7},"odd":12,"opts":{"type":"object","patternProperties":{"^n_":{"type":"number"}},"additionalProperties":{"type":"boolean"}}}}`
)

var allSchemas = map[string]string{"zod": zodSchema, "pydantic": pydanticSchema, "github": githubSchema, "browser": browserSchema,
	"elicit": elicitSchema, "union": unionSchema, "tree": treeSchema, "mixed": mixedSchema}
