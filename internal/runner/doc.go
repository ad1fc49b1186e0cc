// Package runner starts the programs of agents and brings home what they did.
//
// A run is one start of an agent's program for one piece of work. The runner
// takes the work from the project together with a token that is good for this
// run alone, gives the program a built environment, a directory and Brenner's
// tools on a loopback port, watches it within its bounds, takes its reply in,
// and says how it ended. It knows the project only through the small interface
// it declares, so that it works beside the store and over HTTP alike.
//
// Whatever happens to the runner, nothing is done twice: the project decides who
// holds a piece of work, and for how long; processes die with their runner, or
// are ended by the next one on the machine.
package runner
