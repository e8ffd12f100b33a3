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
