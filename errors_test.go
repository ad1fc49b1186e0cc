package brenner_test

import (
	"errors"
	"fmt"
	"testing"

	"brenner"
)

func TestError_AddingToOneLeavesItAsItWas(t *testing.T) {
	shared := brenner.Errorf(brenner.CodeNotFound, "no task")
	_ = shared.WithHint("look").At("/task").WithDetails(1).Because(errors.New("disk")).Try(brenner.Do("task.list"))
	if shared.Hint != "" || shared.Pointer != "" || shared.Details != nil || shared.Actions != nil || errors.Unwrap(shared) != nil {
		t.Errorf("the shared error became %+v", shared)
	}
}

func TestError_IsItsCode(t *testing.T) {
	err := fmt.Errorf("reading: %w", brenner.Errorf(brenner.CodeNotFound, "no task"))
	if !errors.Is(err, brenner.CodeNotFound) {
		t.Error("it is not NOT_FOUND")
	}
	if errors.Is(err, brenner.CodeInternal) {
		t.Error("it is INTERNAL")
	}
}

// X11: what to do is data.
func TestDo_LeavesOutWhatIsNotKnown(t *testing.T) {
	a := brenner.Do("context.assemble", "task", "", "session", "RS-1")
	if len(a.Args) != 1 || a.Args["session"] != "RS-1" {
		t.Errorf("arguments are %v", a.Args)
	}
}
