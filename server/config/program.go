package config

import "errors"

// Program is what a program needs that works with a server from outside.
type Program struct{ URL, Token string }

// LoadProgram reads SENDONCE_URL and SENDONCE_TOKEN, each of which may come from a file (_FILE).
func LoadProgram(lookup func(string) (string, bool)) (Program, error) {
	var p Program
	for _, one := range []struct {
		setting Setting
		into    *string
	}{
		{Setting{Name: "SENDONCE_URL", Default: "http://127.0.0.1:8080"}, &p.URL},
		{Setting{Name: "SENDONCE_TOKEN"}, &p.Token},
	} {
		value, err := valueOf(one.setting, lookup)
		if err != nil {
			return Program{}, err
		}
		*one.into = value
	}
	if p.Token == "" {
		return Program{}, errors.New("SENDONCE_TOKEN is not set: make one with sendonce token create --role agent")
	}
	return p, nil
}
