package imports

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/people"
	"sendonce/server/person"
	"sendonce/server/problem"
	"sendonce/server/template"
)

// What a column may be beside a field of the person.
const (
	asLinkedIn = "linkedin"
	asEmail    = "email"
	asName     = "name"
	asCompany  = "company"
)

// Two fields that make a name where no column is one.
const (
	firstName = "first_name"
	lastName  = "last_name"
)

// usualNames are what columns are called that other programs export, in letters and digits alone. A column of another name is nothing
// until a person says what it is.
var usualNames = map[string][]string{
	asLinkedIn: {"linkedin", "linkedinurl", "linkedinprofile", "linkedinprofileurl", "personlinkedinurl", "profileurl", "publicprofileurl", "linkedinprofil", "profillink", "linkedinlink"},
	asEmail:    {"email", "emailaddress", "mail", "workemail", "emailadresse", "mailadresse", "courriel"},
	asName:     {"name", "fullname", "displayname", "contactname", "vollername"},
	asCompany:  {"company", "companyname", "currentcompany", "organization", "organisation", "employer", "firma", "unternehmen"},
	firstName:  {"firstname", "givenname", "vorname", "prenom"},
	lastName:   {"lastname", "surname", "familyname", "nachname", "nom"},
	"title":    {"title", "jobtitle", "position", "headline", "berufsbezeichnung"},
	"city":     {"city", "location", "ort", "stadt", "ville"},
}

// UsualColumns are what a column may be without inventing a field, in the order in which they are offered.
func UsualColumns() []string {
	return []string{asLinkedIn, asEmail, asName, firstName, lastName, asCompany, "title", "city"}
}

func lettersOf(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// guess is what each column is by its name, or by what stands in the first row of a file without names. No two columns are the same.
func guess(header, first []string, hasHeader bool) []string {
	mapping := make([]string, len(header))
	taken := map[string]bool{"": true}
	for i, name := range header {
		is := ""
		if hasHeader {
			for _, one := range UsualColumns() {
				if slices.Contains(usualNames[one], lettersOf(name)) {
					is = one
				}
			}
		} else if i < len(first) {
			for _, identity := range addressesIn(first[i]) {
				is = asLinkedIn
				if identity.Kind == people.Email {
					is = asEmail
				}
			}
		}
		if !taken[is] {
			mapping[i], taken[is] = is, true
		}
	}
	return mapping
}

// checkMapping refuses a mapping that does not fit the file. The error is a *problem.Problem about mapping.
func checkMapping(header, mapping []string) error {
	const field = "mapping"
	if len(mapping) != len(header) {
		return problem.Field(field, "the file has %d columns, and this says of %d what they are; say \"\" of one that is nothing", len(header), len(mapping))
	}
	for i, is := range mapping {
		if is != "" && slices.Contains(mapping[:i], is) {
			return problem.Field(field, "two columns cannot both be %.60s", is)
		}
		if is == "" || slices.Contains([]string{asLinkedIn, asEmail, asName, asCompany}, is) {
			continue
		}
		if _, err := person.ReadField(field, is, ""); err != nil {
			return err
		}
	}
	if !namesPeople(mapping) {
		return problem.Field(field, "no column is %s or %s: nobody would be known by anything", asLinkedIn, asEmail)
	}
	return nil
}

// namesPeople reports whether a column is an address.
func namesPeople(mapping []string) bool {
	return slices.Contains(mapping, asLinkedIn) || slices.Contains(mapping, asEmail)
}

// addressesIn is the address that a cell is, whatever its column. It is what a removed person is found by.
func addressesIn(cell string) []people.Identity {
	if strings.Contains(cell, "@") {
		if identity, err := people.ParseEmail("", cell); err == nil {
			return []people.Identity{identity}
		}
	}
	if lower := strings.ToLower(cell); strings.Contains(lower, "linkedin.") || strings.Contains(lower, "in/") || strings.HasPrefix(lower, "urn:") {
		if identity, err := people.ParseLinkedIn("", cell); err == nil {
			return []people.Identity{identity}
		}
	}
	return nil
}

func addressesOf(cells []string) []people.Identity {
	var all []people.Identity
	for _, cell := range cells {
		all = append(all, addressesIn(cell)...)
	}
	return all
}

// read is whom a row names under a mapping. why says, for people, why it names nobody.
func (i Import) read(row Row) (c Candidate, why string) {
	if row.Flaw != "" {
		return c, row.Flaw
	}
	c.Named = addressesOf(row.Cells)
	if surplus := slices.IndexFunc(row.Cells[min(len(row.Cells), len(i.Header)):], func(cell string) bool { return cell != "" }); surplus >= 0 {
		return c, fmt.Sprintf("it has more cells than there are columns (%d): something in it has shifted", len(i.Header))
	}
	c.Fields = map[string]string{}
	for at, is := range i.Mapping {
		if is == "" || at >= len(row.Cells) || template.IsNothing(row.Cells[at]) {
			continue // an empty cell says nothing, and nobody else's stands in for it
		}
		if err := c.take(is, row.Cells[at]); err != nil {
			return c, cut(fmt.Sprintf("%s: %s", i.Header[at], problem.As(err).Detail))
		}
	}
	if len(c.Identities) == 0 {
		return c, "it names neither a LinkedIn profile nor a mail address"
	}
	if c.Name == "" {
		// A name that is longer than a name may be is none.
		c.Name, _ = message.CanonicalLine("", c.Fields[firstName]+" "+c.Fields[lastName], config.PersonNameRunesMax)
	}
	if len(c.Fields) > config.PersonFieldsMax {
		return c, fmt.Sprintf("it would be %d fields; %d is the most", len(c.Fields), config.PersonFieldsMax)
	}
	return c, ""
}

func (c *Candidate) take(is, cell string) (err error) {
	var identity people.Identity
	switch is {
	case asLinkedIn:
		identity, err = people.ParseLinkedIn(is, cell)
	case asEmail:
		identity, err = people.ParseEmail(is, cell)
	case asName:
		c.Name, err = message.CanonicalLine(is, cell, config.PersonNameRunesMax)
	case asCompany:
		c.Company, err = message.CanonicalLine(is, cell, config.CompanyRunesMax)
	default:
		c.Fields[is], err = person.ReadField(is, is, cell)
	}
	if err == nil && identity.Value != "" {
		c.Identities = append(c.Identities, identity)
	}
	return err
}

func cut(why string) string {
	if utf8.RuneCountInString(why) > config.ImportWhyRunesMax {
		return string([]rune(why)[:config.ImportWhyRunesMax])
	}
	return why
}

// fill is what a row adds to a person: what is empty, and nothing else.
func fill(p people.Person, c Candidate) (next people.Person, add []people.Identity, isChanged bool) {
	next = p
	next.Fields = maps.Clone(p.Fields)
	if next.Fields == nil {
		next.Fields = map[string]string{}
	}
	if next.Name == "" {
		next.Name = c.Name
	}
	if next.Company == "" {
		next.Company = c.Company
	}
	for name, value := range c.Fields {
		if _, isThere := next.Fields[name]; !isThere && value != "" && len(next.Fields) < config.PersonFieldsMax {
			next.Fields[name] = value
		}
	}
	next.Identities = slices.Clone(p.Identities)
	for _, identity := range c.Identities {
		if !slices.Contains(next.Identities, identity) {
			next.Identities, add = append(next.Identities, identity), append(add, identity)
		}
	}
	isChanged = next.Name != p.Name || next.Company != p.Company || len(next.Fields) != len(p.Fields) || len(add) > 0
	return next, add, isChanged
}
