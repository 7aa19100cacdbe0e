package detail

// maxMember is how long the value of a member is that a filter can be made of, in bytes.
const maxMember = 200

// Member returns the JSON member under the cursor: its path and its value as it is
// written. The path is empty where there is none, the value where it is too long.
func (p *Pane) Member() (path, value string) {
	v := p.view()
	if v == nil {
		return "", ""
	}
	if raw := v.Value(); len(raw) <= maxMember {
		value = string(raw)
	}
	return v.Path(), value
}
