package web

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
)

// Pages lists every page by its pattern.
func Pages() []string { return slices.Sorted(maps.Keys(pages())) }

// Form is a form of a page: what is posted to which pattern.
type Form struct{ Page, Act string }

// Forms lists every form, those of the layout and of the way in included.
func Forms() []Form {
	all := []Form{{"/login", ""}, {"/logout", "logout"}}
	for _, pattern := range Pages() {
		for _, name := range slices.Sorted(maps.Keys(pages()[pattern].acts)) {
			all = append(all, Form{pattern, name})
		}
	}
	return all
}

// PageAt gives the pattern of the page at a path, or the path if there is none.
func PageAt(path string) string {
	mux := http.NewServeMux()
	for pattern := range pages() {
		mux.Handle(pattern, http.NotFoundHandler())
	}
	_, pattern := mux.Handler(&http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}})
	if pattern == "" {
		return path
	}
	return pattern
}

// Notices lists the acts that are spoken of afterwards.
func Notices() []string { return slices.Sorted(maps.Keys(notices)) }

// Number writes a number as pages do.
func Number(n int) string { return thousands(int64(n)) }
