package standin

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
)

type connectionKey struct{}

// withConnection keeps the connection in the context of its requests, since
// HTTP/2 gives a handler no other way to it.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// closeConnection ends the request's connection in an orderly way.
func closeConnection(r *http.Request) {
	if c, ok := r.Context().Value(connectionKey{}).(net.Conn); ok {
		c.Close()
	}
}

// resetConnection ends the request's connection with a TCP reset.
func resetConnection(r *http.Request) {
	c, ok := r.Context().Value(connectionKey{}).(*tls.Conn)
	if !ok {
		return
	}
	if tcp, ok := c.NetConn().(*net.TCPConn); ok {
		tcp.SetLinger(0) // closing now drops what is unsent and answers RST
		tcp.Close()
	}
}

// goAway says that no request of the HTTP/2 connection was taken up, so that
// the browser asks again over another one (RFC 9113, 6.8).
func goAway(r *http.Request) {
	c, ok := r.Context().Value(connectionKey{}).(net.Conn)
	if !ok || r.ProtoMajor < http2Major {
		closeConnection(r)
		return
	}
	// 8 bytes of type 7 (GOAWAY) for the connection: the last stream that was
	// taken up is 0, the error code 0 (NO_ERROR).
	c.Write([]byte{0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
}

const http2Major = 2
