// Package quality measures whether the right things are found: collections of
// texts with questions whose answers are known, and the measures of a ranking.
// Nothing of the program imports it; its tests and benchmarks drive the service
// as a user does.
//
// Three collections: Cranfield, which is public and no part of the project (it
// is read from ../shared/data beside the project where it is there);
// conversations, one artifact a turn; and a research project, whose notes say
// by construction which tasks they bear on. The last two are made by generators
// out of a seed. Seeds below FirstHeldOut were looked at when constants were
// chosen, those from it on only report.
package quality
