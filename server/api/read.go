package api

import (
	"cmp"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"sendonce/server/config"
	"sendonce/server/problem"
)

// readJSON reads the body into in, strictly: one JSON value, no unknown and no repeated member, names in their own case,
// valid UTF-8. No body at all counts as {}. It returns the body for the hash of the payload.
func readJSON(c echo.Context, in any) ([]byte, error) {
	raw, err := readBody(c)
	if err != nil {
		return nil, err
	}
	if len(raw) == 0 {
		return []byte("{}"), nil
	}
	return raw, parseJSON(c, raw, in)
}

// readBody reads a body of bounded size as it came.
func readBody(c echo.Context) ([]byte, error) {
	raw, err := io.ReadAll(http.MaxBytesReader(c.Response(), c.Request().Body, config.RequestBodyBytesMax))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return nil, err
		}
		return nil, problem.New(problem.InvalidJSON, "the body broke off")
	}
	return raw, nil
}

// parseJSON is readJSON of a body that was read before.
func parseJSON(c echo.Context, raw []byte, in any) error {
	if kind, _, err := mime.ParseMediaType(c.Request().Header.Get("Content-Type")); err != nil || kind != echo.MIMEApplicationJSON {
		return problem.New(problem.UnsupportedMedia, "send Content-Type: application/json")
	}
	if jsontext.Value(raw).Kind() != '{' {
		return problem.New(problem.InvalidJSON, "the body must be one JSON object")
	}
	if err := json.Unmarshal(raw, in, json.RejectUnknownMembers(true)); err != nil {
		return jsonProblem(err)
	}
	return nil
}

func jsonProblem(err error) error {
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		field := fieldOf(semantic.JSONPointer)
		if errors.Is(err, json.ErrUnknownName) {
			return &problem.Problem{Code: problem.UnknownField, Field: field, Detail: "this request has no such field"}
		}
		return problem.Field(field, "the value has the wrong type or form")
	}
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		detail := "at byte " + strconv.FormatInt(syntactic.ByteOffset, 10)
		if errors.Is(err, jsontext.ErrDuplicateName) {
			detail += ": the same member stands there twice"
		}
		return &problem.Problem{Code: problem.InvalidJSON, Field: fieldOf(syntactic.JSONPointer), Detail: detail}
	}
	return problem.New(problem.InvalidJSON, "the body could not be read")
}

// fieldOf makes "person.linkedin" of /person/linkedin. A member without a name is shown as JSON spells it.
func fieldOf(pointer jsontext.Pointer) string {
	names := slices.Collect(pointer.Tokens())
	for i := range names {
		names[i] = cmp.Or(names[i], `""`)
	}
	return strings.Join(names, ".")
}

// optional tells a member that is absent from one that is null.
type optional[T any] struct {
	Given bool
	Value *T
}

// UnmarshalJSONFrom is called only for a member that is there.
func (o *optional[T]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	o.Given = true
	return json.UnmarshalDecode(d, &o.Value)
}

// pathID is the id in the path. What is no id names nothing.
func pathID(c echo.Context) (uuid.UUID, error) {
	text := c.Param("id")
	id, err := uuid.Parse(text)
	if err != nil || id.String() != strings.ToLower(text) {
		return uuid.Nil, problem.New(problem.NotFound, "the path holds no id")
	}
	return id, nil
}

// queryID is an id in the query, or uuid.Nil where it has none.
func queryID(c echo.Context, name string) (uuid.UUID, error) {
	text := c.QueryParam(name)
	if text == "" {
		return uuid.Nil, nil
	}
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil, problem.Field(name, "it must be the id of one; a GET lists them")
	}
	return id, nil
}

// page is the part of a list that is asked for.
type page struct {
	after uuid.UUID // the last id of the page before, or uuid.Nil
	most  int
}

func readLimit(c echo.Context) (int, error) {
	text := c.QueryParam("limit")
	if text == "" {
		return config.PageSizeDefault, nil
	}
	most, err := strconv.Atoi(text)
	if err != nil || most < 1 || most > config.PageSizeMax {
		return 0, problem.Field("limit", "it must be a number from 1 to %d", config.PageSizeMax)
	}
	return most, nil
}

func readPage(c echo.Context) (page, error) {
	most, err := readLimit(c)
	if err != nil {
		return page{}, err
	}
	p := page{most: most}
	if text := c.QueryParam("cursor"); text != "" {
		raw, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil || len(raw) != len(p.after) {
			return page{}, problem.New(problem.InvalidCursor, "use next_cursor of the page before as it is")
		}
		p.after = uuid.UUID(raw)
	}
	return p, nil
}

// list is one page as it is shown. NextCursor is null on the last one.
type list[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"next_cursor"`
}

// showPage shows the first p.most of found, which was asked for with one more, to know whether another page follows.
func showPage[T, V any](c echo.Context, p page, found []T, id func(T) uuid.UUID, show func(T) V) error {
	out := list[V]{Items: make([]V, 0, len(found))}
	if len(found) > p.most {
		found = found[:p.most]
		last := id(found[len(found)-1])
		cursor := base64.RawURLEncoding.EncodeToString(last[:])
		out.NextCursor = &cursor
	}
	for _, one := range found {
		out.Items = append(out.Items, show(one))
	}
	return showJSON(c, http.StatusOK, out)
}

func showJSON(c echo.Context, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.Blob(status, echo.MIMEApplicationJSON, body)
}
