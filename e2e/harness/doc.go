// Package harness runs the whole product from outside, as a person would: the server as a process of its own, the
// shipped extension in a real Chromium, a database that a test may look into and stop, and a proxy between extension and
// server that loses, holds and cuts what a network loses, holds and cuts. Nothing in it is known to the product: the
// browser is paired through the options page, the server is spoken to over REST.
//
// Every wait is bounded by its context and ends on a signal or a bounded poll.
package harness
