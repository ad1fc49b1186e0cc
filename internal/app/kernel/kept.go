package kernel

import "reflect"

// Kept is what all calls of a project in this process share of a type: what a room remembers
// from one call to the next. It is the zero value at first, and safe for concurrent use as far
// as its type is.
func Kept[T any](c *Call) *T {
	if c.kernel == nil {
		return new(T)
	}
	kept, ok := c.kernel.kept.Load(reflect.TypeFor[T]())
	if !ok {
		kept, _ = c.kernel.kept.LoadOrStore(reflect.TypeFor[T](), new(T))
	}
	return kept.(*T)
}
