package standin

import "fmt"

// locale holds every word that a page shows besides names and messages. What
// is not "…%s…" is used as it stands.
type locale struct {
	Lang, Tag                             string
	Message, Send, SendOptions, Write     string
	NewMessage, Recipients, More, Connect string
	Messaging, Home, Subject, Credits     string
	Minimise, Close, Remove, Conversation string
	SentAt, SeenBy                        string
	FirstDegree, SecondDegree             string
	NotAvailable                          string
	// Dir is "rtl" where the page reads from right to left.
	Dir string
}

var locales = map[string]locale{
	"en": {
		Lang: "en", Tag: "en_US",
		Message: "Message", Send: "Send", SendOptions: "Open send options", Write: "Write a message…",
		NewMessage: "New message", Recipients: "Enter message recipients", More: "More", Connect: "Connect",
		Messaging: "Messaging", Home: "Home", Subject: "Subject (optional)", Credits: "Uses 1 of 5 InMail credits",
		Minimise: "Minimize your conversation with %s", Close: "Close your conversation with %s",
		Remove: "Remove %s", Conversation: "Select conversation with %s",
		SentAt: "Sent at %s", SeenBy: "Seen by %s", FirstDegree: "1st", SecondDegree: "2nd",
		NotAvailable: "You can message people you are connected to.",
	},
	"de": {
		Lang: "de", Tag: "de_DE",
		Message: "Nachricht", Send: "Senden", SendOptions: "Sendeoptionen öffnen", Write: "Nachricht verfassen …",
		NewMessage: "Neue Nachricht", Recipients: "Empfänger eingeben", More: "Mehr", Connect: "Vernetzen",
		Messaging: "Nachrichten", Home: "Start", Subject: "Betreff (optional)", Credits: "Kostet 1 von 5 InMail-Guthaben",
		Minimise: "Unterhaltung mit %s minimieren", Close: "Unterhaltung mit %s schließen",
		Remove: "%s entfernen", Conversation: "Unterhaltung mit %s auswählen",
		SentAt: "Gesendet um %s", SeenBy: "Gesehen von %s", FirstDegree: "1.", SecondDegree: "2.",
		NotAvailable: "Sie können Personen schreiben, mit denen Sie vernetzt sind.",
	},
	"ar": {
		Lang: "ar", Tag: "ar_AE", Dir: "rtl",
		Message: "رسالة", Send: "إرسال", SendOptions: "فتح خيارات الإرسال", Write: "اكتب رسالة…",
		NewMessage: "رسالة جديدة", Recipients: "أدخل المستلمين", More: "المزيد", Connect: "تواصل",
		Messaging: "الرسائل", Home: "الرئيسية", Subject: "الموضوع (اختياري)", Credits: "يستخدم 1 من 5 أرصدة InMail",
		Minimise: "تصغير المحادثة مع %s", Close: "إغلاق المحادثة مع %s",
		Remove: "إزالة %s", Conversation: "تحديد المحادثة مع %s",
		SentAt: "أُرسلت في %s", SeenBy: "شوهدت من %s", FirstDegree: "الأولى", SecondDegree: "الثانية",
		NotAvailable: "يمكنك مراسلة من أنت على تواصل معهم.",
	},
}

// localeOf returns the words of a language; empty is English.
func localeOf(lang string) (locale, error) {
	if lang == "" {
		lang = "en"
	}
	words, ok := locales[lang]
	if !ok {
		return locale{}, fmt.Errorf("no locale %q; the stand-in speaks en, de and ar", lang)
	}
	return words, nil
}
