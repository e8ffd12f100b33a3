package api

import "sendonce/server/access"

// Route is one route as it is listed, for tests. Right is "" where no token is needed.
type Route struct {
	Method, Path string
	Right        access.Right
}

// ListedRoutes is every route.
func ListedRoutes() []Route {
	var listed []Route
	for _, r := range new(API).routes() {
		listed = append(listed, Route{r.method, r.path, r.right})
	}
	return listed
}
