package mcpserver_test

import "testing"

// C11: a summary is mended alone, by a version with the same content.
func TestSummary_IsMendedAlone(t *testing.T) {
	blue, _ := duo(t)
	blue.call("artifact_write", analysis("log", nil))
	blue.must(first(blue.call("artifact_write", arguments{"id": "log", "summary": "what log says, put better"})), "wrote log@2, draft")
	blue.must(first(blue.call("artifact_get", arguments{"ref": "log", "again": true})), "summary: what log says, put better", "measured for log\n")
}
