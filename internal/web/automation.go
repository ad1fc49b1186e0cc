package web

import (
	"strings"

	"brenner/api"
)

// automationPage is what happens by itself: the rules, and what they did lately.
type automationPage struct {
	api.AutomationRules
	Firings []firing
	Next    string
	Told    int // of the inbox
}

// firing is a firing and what it is about in words.
type firing struct {
	api.Firing
	Wrote []string
}

func loadAutomation(v *visit) (string, any, error) {
	rules, err := v.svc.AutomationRules(v.Context())
	if err != nil {
		return "", nil, err
	}
	out := automationPage{AutomationRules: rules}
	list, err := v.svc.Firings(v.Context(), api.FiringsRequest{Page: v.page(perPage), Rule: v.query("rule")})
	if err != nil {
		return "", nil, err
	}
	out.Next = list.Cursor
	for _, f := range list.Firings {
		one := firing{Firing: f}
		for _, ref := range f.Refs {
			one.Wrote = append(one.Wrote, ref.String())
		}
		out.Firings = append(out.Firings, one)
	}
	told, err := v.svc.Waiting(v.Context(), api.WaitingRequest{Page: api.Page{Limit: 1}, Kinds: []api.WaitKind{api.WaitAutomation}})
	out.Told = told.Total
	return "Automation", out, err
}

// automationActs pause and resume, and take notice.
var automationActs = map[string]act{
	"pause": func(v *visit) (string, error) {
		_, err := v.svc.PauseAutomation(v.Context(), api.PauseAutomationRequest{Write: v.write(), Rule: v.field("rule"), Reason: strings.TrimSpace(v.field("reason"))})
		return "/automation", err
	},
	"resume": func(v *visit) (string, error) {
		_, err := v.svc.ResumeAutomation(v.Context(), api.PauseAutomationRequest{Write: v.write(), Rule: v.field("rule")})
		return "/automation", err
	},
	"settle": func(v *visit) (string, error) {
		_, err := v.svc.SettleNotices(v.Context(), api.SettleNoticesRequest{Write: v.write()})
		return "/automation", err
	},
}
