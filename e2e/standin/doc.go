// Package standin plays www.linkedin.com for real browsers: a TLS server on
// loopback with the pages, the delivery request and the history reads that
// the extension meets, a ledger of what was really accepted, and faults that
// a test sets per request.
//
// A browser reaches it under the real host name:
//
//	--host-resolver-rules=<Server.ResolverRules()> --ignore-certificate-errors
//
// so the extension under test is the shipped one, with no test hook. Paths
// under /standin/ belong to the stand-in alone (sign-in, the click beacon, the
// ledger as JSON, the page's script). Where the real site's behaviour is not
// known from a capture, the stand-in invents it and says so beside the code;
// the extension must not depend on an invented mark.
package standin
