// Package playbook keeps lessons that count evidence and never rewrite
// themselves.
package playbook
