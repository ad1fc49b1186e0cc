package delta_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"brenner/delta"
)

func TestTests_StateFollowsFromWhatIsRecorded(t *testing.T) {
	// D26: a test is planned until somebody says that it runs, or what came out.
	add := func(name, more string) string {
		return `{"operation":"ADD","section":"discriminative_tests","target_id":null,"payload":{"name":"` + name + `","procedure":"p","discriminates":"d","expected_outcomes":{"H1":"e"}` + more + `},"rationale":"r"}`
	}
	empty, err := delta.New("RS-1", "why?", nil, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	doc := mergedBy(t, empty, 1, [2]string{"Ann", add("a", "")}, [2]string{"Ann", add("b", `,"status":"planned"`)}, [2]string{"Ann", add("c", "")},
		[2]string{"Ann", add("d", `,"status":"Now running."`)}, [2]string{"Ann", add("e", `,"status":"dropped: too dear"`)}, [2]string{"Ann", add("f", `,"actual_outcomes":{"H1":"57 ms, log@2"}`)},
		[2]string{"Ann", add("g", `,"actual_outcomes":{"H1":"57 ms"},"last_run":"once","status":"run"`)})
	test := func(id, payload string) string { return edit(id, "discriminative_tests", payload) }
	doc = mergedBy(t, doc, 2, [2]string{"Bob", test("T2", `{"status":"is running"}`)}, [2]string{"Bob", test("T3", `{"last_run":{"by":"Bob","result":"cold-log@1"}}`)},
		[2]string{"Bob", test("T4", `{"procedure":"running twice"}`)}, [2]string{"Cy", test("T6", `{"status":"running once more"}`)})
	doc = mergedBy(t, doc, 3, [2]string{"Ann", test("T4", `{"status":"planned again"}`)}, [2]string{"Bob", test("T2", `{"status":"was run"}`)},
		[2]string{"Ann", test("T7", `{"actual_outcomes":{"H1":null},"last_run":"","status":"planned: it was another"}`)}) // taken back
	doc = mergedBy(t, doc, 4, [2]string{"Ann", `{"operation":"KILL","section":"discriminative_tests","target_id":"T1","payload":{"reason":"r"},"rationale":"r"}`})
	got := ""
	for _, s := range delta.Tests(doc) {
		got += fmt.Sprintf("%s %s", s.Item, s.State)
		for _, r := range s.Running {
			got += fmt.Sprintf(" runs:%s@%d", r.By, r.At.Hour())
		}
		for _, r := range s.Done {
			got += fmt.Sprintf(" ran:%s@%d=%s", r.By, r.At.Hour(), r.Result)
		}
		got += "\n"
	}
	want := "T2 run ran:Bob@3=\nT3 run ran:Bob@2=cold-log@1\nT4 planned\nT5 dropped\nT6 run runs:Cy@2 ran:Ann@1=log@2\nT7 planned\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// D26: a critique whose proposed test names a test that lives asks for no other.
func TestTests_ACritiqueThatNamesATest(t *testing.T) {
	for _, c := range []struct {
		proposed string
		asks     bool
	}{{"start it twice", true}, {"T1", false}, {"as T1, warm", false}, {"T7", true}} {
		doc := mergeAll(t, nil, append(hypotheses(2),
			say("t", 7, "Ann", "ADD", "-", "T", `{"name":"graft","procedure":"graft late","discriminates":"H1 from H2","expected_outcomes":{"H1":"kept"}}`),
			say("c", 8, "Bob", "ADD", "-", "C", `{"name":"c","attack":"H1 is circular","proposed_test":"`+c.proposed+`"}`))...).Artifact
		asks := slices.ContainsFunc(delta.Tests(doc), func(test delta.Test) bool { return test.State == delta.TestProposed })
		if asks != c.asks {
			t.Errorf("%q: asks for a test: %t", c.proposed, asks)
		}
	}
}
