package console

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/problem"
)

const sessionCookie = "sendonce_session"

func (s *Console) whoIs(c echo.Context) (access.Principal, error) {
	cookie, err := c.Cookie(sessionCookie)
	if err != nil {
		return access.Principal{}, problem.New(problem.Unauthenticated, "sign in first")
	}
	return s.access.SignedIn(c.Request().Context(), cookie.Value)
}

type signInPage struct {
	Link string
}

// showSignIn only shows a button: programs that look at links in mails and chats must not use the link up.
func (s *Console) showSignIn(c echo.Context) error {
	return s.render(c, http.StatusOK, "sign_in", frame{Title: "Sign in"}, signInPage{Link: c.QueryParam("link")})
}

func (s *Console) signIn(c echo.Context) error {
	forgive, ok := s.tries.Try(c.RealIP(), time.Now())
	if !ok {
		return problem.New(problem.TooManyAttempts, "wait a minute and try again")
	}
	session, err := s.access.SignIn(c.Request().Context(), c.FormValue("link"))
	if problem.Is(err, problem.Unauthenticated) {
		if _, signedIn := s.whoIs(c); signedIn == nil { // the second tap on one button
			return c.Redirect(http.StatusSeeOther, "/")
		}
	}
	if err != nil {
		return err
	}
	forgive()
	c.SetCookie(s.cookie(session, int(config.ConsoleSessionLasts/time.Second)))
	return c.Redirect(http.StatusSeeOther, "/")
}

func (s *Console) signOut(c echo.Context) error {
	if cookie, err := c.Cookie(sessionCookie); err == nil {
		if err := s.access.SignOut(c.Request().Context(), cookie.Value); err != nil {
			return err
		}
	}
	c.SetCookie(s.cookie("", -1))
	return c.Redirect(http.StatusSeeOther, "/sign-in")
}

// cookie lasts maxAge seconds. Scripts cannot read it, and another site's posts do not carry it.
func (s *Console) cookie(value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: sessionCookie, Value: value, Path: "/", MaxAge: maxAge, HttpOnly: true, Secure: s.secure,
		SameSite: http.SameSiteLaxMode,
	}
}
