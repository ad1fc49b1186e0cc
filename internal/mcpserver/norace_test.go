//go:build !race

package mcpserver_test

const underRace = false
