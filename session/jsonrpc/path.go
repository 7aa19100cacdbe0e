package jsonrpc

// section is an object whose members are looked at.
type section uint8

const (
	noSection    section = iota
	atMessage            // the message
	atParams             // params
	atMeta               // params._meta
	atRef                // params.ref
	atResult             // result
	atTask               // result.task
	atResultMeta         // result._meta
	atError              // error
	atErrData            // error.data
)

// target is where the facts of a value go.
type target uint8

const (
	toNone     target = iota
	toMessage         // the value is a message
	toVersion         // jsonrpc
	toID              // id
	toMethod          // method
	toParams          // params
	toResult          // result
	toError           // error
	toField           // the first Field; the others follow
	numTargets = toField + target(NumFields)
)

// maxPath is how many levels of a message are looked at.
const maxPath = 4

// path is where a Scanner is in the message under way.
type path struct {
	target  target           // target is what the next value is.
	section section          // section is what the innermost object is.
	next    section          // next is what the next value is, if it is an object.
	outer   [maxPath]section // outer are the sections around, by their level in the message.
}

// open enters a value at a level of the message, which is an object or an array.
func (p *path) open(level int, object bool) {
	if level < maxPath {
		p.outer[level] = p.section
	}
	p.section = noSection
	if object {
		p.section = p.next
	}
	p.next = noSection
}

// close leaves the value that was at that level.
func (p *path) close(level int) {
	if level < maxPath {
		p.section = p.outer[level]
	}
}

// keyEnd takes a key, or its first bytes, and the hash of all of it.
func (s *Scanner) keyEnd(key []byte, hash uint64) {
	d := s.keys.add(hash)
	s.cur |= d
	s.state = atColon
	if s.path.section != noSection {
		s.member(key, d == DuplicateKey)
	}
}

// member takes a key of an object that is looked at.
func (s *Scanner) member(key []byte, again bool) {
	t, sec := lookup(s.path.section, key)
	s.path.target, s.path.next = t, sec
	if again && sec != noSection {
		s.caps.forget(&s.msg, sec)
	}
	if s.path.section == atMessage && t == toNone && s.msg.UnknownKey == "" {
		s.msg.UnknownKey = s.intern(key[:min(len(key), maxKeyText)])
	}
}

// intern returns key as a string, and does not allocate where it is the one it
// was last time.
func (s *Scanner) intern(key []byte) string {
	if s.unknown != string(key) {
		s.unknown = string(key)
	}
	return s.unknown
}

// lookup finds what the member key of an object is: where its value goes, and
// what it is itself if it is an object.
func lookup(in section, key []byte) (target, section) {
	switch in {
	case atMessage:
		return lookupMessage(key)
	case atParams:
		switch string(key) {
		case "_meta":
			return toNone, atMeta
		case "ref":
			return toNone, atRef
		}
		return field(paramField(key)), noSection
	case atMeta:
		return field(metaField(key)), noSection
	case atRef:
		switch string(key) {
		case "name":
			return field(ParamRefName), noSection
		case "uri":
			return field(ParamRefURI), noSection
		}
	case atResult:
		switch string(key) {
		case "task":
			return toNone, atTask
		case "_meta":
			return toNone, atResultMeta
		}
		return field(resultField(key)), noSection
	case atResultMeta:
		if string(key) == "io.modelcontextprotocol/serverInfo" {
			return field(ResultMetaServerInfo), noSection
		}
	case atTask:
		if string(key) == "taskId" {
			return field(ResultTaskTaskID), noSection
		}
	case atError:
		switch string(key) {
		case "code":
			return field(ErrorCode), noSection
		case "message":
			return field(ErrorMessage), noSection
		case "data":
			return toNone, atErrData
		}
	case atErrData:
		switch string(key) {
		case "supported":
			return field(ErrorSupported), noSection
		case "requested":
			return field(ErrorRequested), noSection
		case "requiredCapabilities":
			return field(ErrorRequired), noSection
		}
	}
	return toNone, noSection
}

// field returns where the facts of f go; none for NumFields.
func field(f Field) target {
	if f == NumFields {
		return toNone
	}
	return toField + target(f)
}

func lookupMessage(key []byte) (target, section) {
	switch string(key) {
	case "jsonrpc":
		return toVersion, noSection
	case "id":
		return toID, noSection
	case "method":
		return toMethod, noSection
	case "params":
		return toParams, atParams
	case "result":
		return toResult, atResult
	case "error":
		return toError, atError
	}
	return toNone, noSection
}

func paramField(key []byte) Field {
	switch string(key) {
	case "name":
		return ParamName
	case "uri":
		return ParamURI
	case "cursor":
		return ParamCursor
	case "level":
		return ParamLevel
	case "taskId":
		return ParamTaskID
	case "task":
		return ParamTask
	case "requestId":
		return ParamRequestID
	case "progressToken":
		return ParamProgressToken
	case "progress":
		return ParamProgress
	case "total":
		return ParamTotal
	case "requestState":
		return ParamRequestState
	case "inputResponses":
		return ParamInputResponses
	case "protocolVersion":
		return ParamProtocolVersion
	case "capabilities":
		return ParamCapabilities
	case "clientInfo":
		return ParamClientInfo
	case "arguments":
		return ParamArguments
	case "notifications":
		return ParamNotifications
	}
	return NumFields
}

func metaField(key []byte) Field {
	switch string(key) {
	case "progressToken":
		return MetaProgressToken
	case "io.modelcontextprotocol/protocolVersion":
		return MetaProtocolVersion
	case "io.modelcontextprotocol/clientCapabilities":
		return MetaCapabilities
	case "io.modelcontextprotocol/clientInfo":
		return MetaClientInfo
	case "io.modelcontextprotocol/logLevel":
		return MetaLogLevel
	case "io.modelcontextprotocol/subscriptionId":
		return MetaSubscriptionID
	case "io.modelcontextprotocol/related-task":
		return MetaRelatedTask
	}
	return NumFields
}

func resultField(key []byte) Field {
	switch string(key) {
	case "resultType":
		return ResultType
	case "protocolVersion":
		return ResultProtocolVersion
	case "capabilities":
		return ResultCapabilities
	case "serverInfo":
		return ResultServerInfo
	case "supportedVersions":
		return ResultSupported
	case "nextCursor":
		return ResultNextCursor
	case "isError":
		return ResultIsError
	case "requestState":
		return ResultRequestState
	case "inputRequests":
		return ResultInputRequests
	case "ttlMs":
		return ResultTTL
	case "cacheScope":
		return ResultCacheScope
	case "taskId":
		return ResultTaskID
	case "status":
		return ResultStatus
	}
	return NumFields
}

// within are the fields that are somewhere inside a section.
func within(f Field, sec section) bool {
	switch sec {
	case atMessage:
		return true
	case atParams:
		return f <= MetaRelatedTask
	case atMeta:
		return MetaProgressToken <= f && f <= MetaRelatedTask
	case atRef:
		return f == ParamRefName || f == ParamRefURI
	case atResult:
		return ResultType <= f && f <= ResultStatus
	case atTask:
		return f == ResultTaskTaskID
	case atResultMeta:
		return f == ResultMetaServerInfo
	case atError:
		return ErrorCode <= f && f <= ErrorRequired
	case atErrData:
		return ErrorSupported <= f && f <= ErrorRequired
	}
	return false
}
