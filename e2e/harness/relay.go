package harness

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

var upgrader = websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }} // the server checks it

// line is one connection, which several may write to.
type line struct {
	*websocket.Conn
	writing sync.Mutex
}

// write passes a frame on; whoever reads from the line sees when it broke.
func (l *line) write(data []byte) {
	l.writing.Lock()
	defer l.writing.Unlock()
	_ = l.WriteMessage(websocket.TextMessage, data)
}

// relay joins one connection of the extension with one of its own to the server, under the same path and origin.
func (p *Proxy) relay(w http.ResponseWriter, r *http.Request) {
	p.relays.Add(1)
	defer p.relays.Done()
	p.mu.Lock()
	upstream, refused := p.upstream, p.shut || p.closed
	p.mu.Unlock()
	if refused {
		http.Error(w, "nobody gets through", http.StatusServiceUnavailable)
		return
	}
	dialer := websocket.Dialer{HandshakeTimeout: dialWithin}
	header := http.Header{"Origin": r.Header.Values("Origin")}
	dialed, _, err := dialer.Dial("ws"+strings.TrimPrefix(upstream, "http")+r.URL.Path, header)
	if err != nil {
		http.Error(w, "the server cannot be reached", http.StatusBadGateway)
		return
	}
	upgraded, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		dialed.Close()
		return
	}
	install, server := &line{Conn: upgraded}, &line{Conn: dialed}
	if !p.enter(install, server) {
		return
	}
	defer p.leave(install, server)
	var both sync.WaitGroup
	both.Go(func() { p.copyFrames(Install, install, server) })
	both.Go(func() { p.copyFrames(Upstream, server, install) })
	both.Wait()
}

// enter lets Cut know of a pair of connections; false when the proxy was shut meanwhile.
func (p *Proxy) enter(install, server *line) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for side, connection := range map[Side]*line{Install: install, Upstream: server} {
		connection.SetReadLimit(frameBytesMax)
		if p.shut || p.closed {
			connection.Close()
			continue
		}
		p.open[connection] = side
	}
	return !p.shut && !p.closed
}

func (p *Proxy) leave(install, server *line) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, install)
	delete(p.open, server)
	p.ended++
	p.signal()
}

// copyFrames passes frames on until one of the connections ends, and hands the way it ended to the other.
func (p *Proxy) copyFrames(from Side, source, target *line) {
	var held sync.WaitGroup
	ended := make(chan struct{})
	for {
		_, data, err := source.ReadMessage()
		if err != nil {
			close(ended)
			held.Wait()
			sayClose(target.Conn, err)
			target.Close()
			source.Close()
			return
		}
		fate, gate := p.judge(from, data)
		switch fate {
		case Passed:
			target.write(data)
		case Held:
			held.Go(func() {
				select {
				case <-gate:
					target.write(data)
				case <-ended:
				}
			})
		}
	}
}

// sayClose passes a close code on; a connection that broke without one breaks the other in the same way.
func sayClose(target *websocket.Conn, err error) {
	var closed *websocket.CloseError
	if !errors.As(err, &closed) || closed.Code == websocket.CloseAbnormalClosure || closed.Code == websocket.CloseNoStatusReceived {
		return
	}
	message := websocket.FormatCloseMessage(closed.Code, closed.Text)
	_ = target.WriteControl(websocket.CloseMessage, message, time.Now().Add(dialWithin))
}
