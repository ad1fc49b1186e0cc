package lineage

import (
	"cmp"
	"fmt"
	"slices"

	"brenner"
	"brenner/internal/order"
)

// Cluster is versions that are equally far from the start and of one module
// and type, drawn as one box because there are too many to be drawn each.
type Cluster struct {
	Depth  int
	Module brenner.Module
	Type   brenner.TypeName
	// Members are in the order of the graph.
	Members []Node
	// Stale counts those that need an update.
	Stale int
}

// Key names the cluster among those of its graph.
func (c Cluster) Key() string { return fmt.Sprintf("%d.%s.%s", c.Depth, c.Module, c.Type) }

// Clusters groups the versions of a graph that has more than most of them. The
// start and whatever else has no companion, and the first most of the cluster
// named by open, stay single versions. A graph with no more than most has none.
func (g Graph) Clusters(most int, open string) []Cluster {
	if len(g.Nodes) <= most {
		return nil
	}
	type kind struct {
		depth  int
		module brenner.Module
		typ    brenner.TypeName
	}
	at := map[kind]int{}
	var all []Cluster
	for _, n := range g.Nodes {
		k := kind{n.Depth, n.Module, n.Type}
		i, known := at[k]
		if !known {
			i, at[k] = len(all), len(all)
			all = append(all, Cluster{Depth: n.Depth, Module: n.Module, Type: n.Type})
		}
		all[i].Members = append(all[i].Members, n)
		if n.Stale {
			all[i].Stale++
		}
	}
	for i, c := range all {
		if c.Key() == open {
			all[i] = c.without(most)
		}
	}
	all = slices.DeleteFunc(all, func(c Cluster) bool { return len(c.Members) < 2 })
	order.By(all, func(a, b Cluster) int {
		return cmp.Or(cmp.Compare(a.Depth, b.Depth), cmp.Compare(a.Module, b.Module), cmp.Compare(a.Type, b.Type))
	})
	return all
}

// without is the cluster without its first so many members.
func (c Cluster) without(first int) Cluster {
	c.Members = c.Members[min(first, len(c.Members)):]
	c.Stale = 0
	for _, n := range c.Members {
		if n.Stale {
			c.Stale++
		}
	}
	return c
}
