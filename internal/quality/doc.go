// Package quality measures whether the right things are found: collections of
// texts with questions whose answers are known, and the measures of a ranking.
// Nothing of the program imports it; its benchmark drives the service
// as a user does.
//
// The collection is Cranfield, which is public and no part of the project: it is
// read from shared/data beside the project where it is there.
package quality
