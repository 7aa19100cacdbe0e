package client

import (
	"encoding/json"
	"fmt"
)

// RootsAnswer is the answer to roots/list: paths, made absolute, or file://
// URIs. It fails for what can be no root.
func RootsAnswer(roots []string) (Answer, error) {
	list, err := rootsJSON(roots)
	if err != nil {
		return Answer{}, err
	}
	if list == nil {
		list = json.RawMessage(`[]`)
	}
	return Answer{Result: fmt.Appendf(nil, `{"roots":%s}`, list)}, nil
}
