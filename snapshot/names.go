package snapshot

import (
	"strings"

	"brenner"
	"brenner/lineage"
)

// pathText names the versions from what is stale to what moved.
func pathText(path []brenner.Ref) string {
	names := make([]string, len(path))
	for i, r := range path {
		names[i] = r.String()
	}
	return strings.Join(names, " → ")
}

// headNames names the heads of a fork and who wrote them.
func headNames(heads []lineage.Node) string {
	names := make([]string, len(heads))
	for i, h := range heads {
		names[i] = h.Ref.String() + " by " + string(h.Creator)
	}
	return strings.Join(names, ", ")
}
