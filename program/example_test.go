package program_test

import (
	"fmt"

	"brenner/program"
)

// A reader follows what a program prints and says what it came to.
func ExampleNewReader() {
	r := program.NewReader(program.Claude)
	r.Line([]byte(`{"type":"system","subtype":"init","session_id":"c-1","model":"m"}`))
	r.Line([]byte(`{"type":"result","subtype":"success","is_error":false,"result":"They run out of glucose.","session_id":"c-1","num_turns":2,"total_cost_usd":0.02,"usage":{"input_tokens":900,"output_tokens":40}}`))
	res := r.End(program.Exit{})
	fmt.Println(res.Reply, res.Usage.Cost, res.Cause == program.Fine)
	// Output:
	// They run out of glucose. $0.02 true
}
