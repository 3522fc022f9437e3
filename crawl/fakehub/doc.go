// Package fakehub owns "GitHub and the marketplaces in a box": it plays GitHub's REST and GraphQL APIs, the codeload and
// raw hosts and marketplaces over loopback, from a folder of packed repositories or from a corpus that describes
// skills, with the answers, limits and traps of the real ones and with faults to order. The formats and the fault
// script are described in docs/fakehub.md.
//
// It never listens beyond loopback, never calls another host, and shares no code with the crawler that is
// tested against it, so that a mistake in one is not repeated in the other. The fakehub and demo commands and
// the tests of other packages call it.
package fakehub
