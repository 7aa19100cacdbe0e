package session

import (
	"fmt"
	"testing"
)

func TestOperations(t *testing.T) {
	call := func(id, name, more string) string {
		return request(id, "tools/call", fmt.Sprintf(`{"name":%q%s}`, name, more))
	}
	input := func(id, state string) string { return result(id, `{"resultType":"input_required"`+state+`}`) }
	done := func(id string) string { return result(id, `{"resultType":"complete"}`) }
	tests := []struct {
		name    string
		records []Record
		want    []uint32 // want are the operations of the rows.
	}{
		{"a single exchange is none", []Record{client(0, call("1", "a", "")), server(1, done("1"))}, []uint32{0, 0}},
		{"probe and initialize", []Record{client(0, discover("1")), server(1, failure("1", -32601)), client(2, initialize("2", "2025-11-25")), server(3, initialized("2", "2025-11-25"))}, []uint32{1, 1, 1, 1}},
		{"probe with a late answer", []Record{client(0, discover("1")), client(2, initialize("2", "2025-11-25")), server(3, failure("1", -32601)), server(3, initialized("2", "2025-11-25"))}, []uint32{1, 1, 1, 1}},
		{"initialize alone", []Record{client(2, initialize("2", "2025-11-25")), server(3, initialized("2", "2025-11-25"))}, []uint32{0, 0}},
		{"two legs by state", []Record{
			client(0, call("1", "a", "")), server(1, input("1", `,"requestState":"s1"`)),
			client(2, call("2", "a", `,"requestState":"s1","inputResponses":{}`)), server(3, done("2")),
		}, []uint32{1, 1, 1, 1}},
		{"three legs", []Record{
			client(0, call("1", "a", "")), server(1, input("1", `,"requestState":"s1"`)),
			client(2, call("2", "a", `,"requestState":"s1"`)), server(3, input("2", `,"requestState":"s2"`)),
			client(4, call("3", "a", `,"requestState":"s2"`)), server(5, done("3")),
		}, []uint32{1, 1, 1, 1, 1, 1}},
		{"another state is another act", []Record{
			client(0, call("1", "a", "")), server(1, input("1", `,"requestState":"s1"`)),
			client(2, call("2", "a", `,"requestState":"s9"`)), server(3, done("2")),
		}, []uint32{0, 0, 0, 0}},
		{"another target is another act", []Record{
			client(0, call("1", "a", "")), server(1, input("1", `,"requestState":"s1"`)),
			client(2, call("2", "b", `,"requestState":"s1"`)), server(3, done("2")),
		}, []uint32{0, 0, 0, 0}},
		{"by input alone, one open", []Record{
			client(0, call("1", "a", "")), server(1, input("1", `,"inputRequests":{}`)),
			client(2, call("2", "a", `,"inputResponses":{}`)), server(3, done("2")),
		}, []uint32{1, 1, 1, 1}},
		{"by input alone, two open", []Record{
			client(0, call("1", "a", "")), client(0, call("2", "a", "")), server(1, input("1", "")), server(1, input("2", "")),
			client(2, call("3", "a", `,"inputResponses":{}`)),
		}, []uint32{0, 0, 0, 0, 0}},
		{"a new call without input is not a leg", []Record{
			client(0, call("1", "a", "")), server(1, input("1", "")), client(2, call("2", "a", "")),
		}, []uint32{0, 0, 0}},
		{"a task of 2025-11-25", []Record{
			client(0, call("1", "a", `,"task":{}`)), server(1, result("1", `{"task":{"taskId":"t1","status":"working"}}`)),
			client(2, request("2", "tasks/get", `{"taskId":"t1"}`)), server(3, result("2", `{"taskId":"t1","status":"working"}`)),
			server(4, notification("notifications/tasks/status", `{"taskId":"t1","status":"completed"}`)),
			client(5, request("3", "tasks/result", `{"taskId":"t1"}`)), server(6, result("3", `{"content":[]}`)),
			client(7, request("4", "tasks/get", `{"taskId":"t2"}`)),
		}, []uint32{1, 1, 1, 1, 1, 1, 1, 0}},
		{"a task of the extension", []Record{
			client(0, call("1", "a", "")), server(1, result("1", `{"resultType":"task","taskId":"t1","status":"working"}`)),
			client(2, request("2", "tasks/update", `{"taskId":"t1","inputResponses":{}}`)),
		}, []uint32{1, 1, 1}},
		{"tasks of the two sides are two", []Record{
			client(0, call("1", "a", `,"task":{}`)), server(1, result("1", `{"task":{"taskId":"t1"}}`)),
			server(2, request("1", "tasks/get", `{"taskId":"t1"}`)),
		}, []uint32{1, 1, 0}},
		{"an answer to tasks/get makes no task", []Record{
			client(0, request("2", "tasks/get", `{"taskId":"t1"}`)), server(1, result("2", `{"taskId":"t1","resultType":"complete"}`)),
			client(2, request("3", "tasks/get", `{"taskId":"t1"}`)),
		}, []uint32{0, 0, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, _ := play(t, Config{}, tt.records...)
			s := a.Snapshot()
			got := make([]uint32, s.Len())
			for i := range got {
				got[i] = s.Row(uint32(i)).Op
			}
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("operations %v, want %v", got, tt.want)
			}
		})
	}
}
