package mcpserver

import (
	"strings"
	"testing"

	"brenner"
	"brenner/api"
)

// A context that is refused after its task was taken for it says that the task is
// held, and how to give it back, beside what it would have said.
func TestContextAssemble_SaysThatARefusedOneHoldsItsTask(t *testing.T) {
	refused := brenner.Errorf(brenner.CodeContextOverflow, "it does not fit").Try(brenner.Do("status"))
	err := refusedWithTask(api.TaskInfo{ID: "task-3"}, refused)
	said, ok := err.(*brenner.Error) //nolint:errorlint // it is exactly that
	if !ok || said.Code != brenner.CodeContextOverflow || !strings.HasPrefix(said.Message, "it does not fit; task-3 is yours all the same") {
		t.Fatalf("said %v", err)
	}
	if len(said.Actions) != 2 || said.Actions[1].Args["id"] != "task-3" || len(refused.Actions) != 1 {
		t.Errorf("to do: %+v", said.Actions)
	}
	if err := refusedWithTask(api.TaskInfo{ID: "task-3"}, nil); err != nil {
		t.Errorf("of a context that was made: %v", err)
	}
}
