package api

// Tried is a request that can be a dry run: it goes the same way, on a snapshot,
// says what it would come to, and leaves nothing. A dry run waits for no writer.
// Every request with a field DryRun is one.
type Tried interface{ IsDryRun() bool }

// IsDryRun says whether the promotion is only tried.
func (r PromoteRequest) IsDryRun() bool { return r.DryRun }

// IsDryRun says whether the decision is only tried.
func (r DecisionRequest) IsDryRun() bool { return r.DryRun }

// IsDryRun says whether the decisions are only tried.
func (r DecideRequest) IsDryRun() bool { return r.DryRun }

// IsDryRun says whether the request for changes is only tried.
func (r RequestChangesRequest) IsDryRun() bool { return r.DryRun }

// IsDryRun says whether the batch is only tried.
func (r BatchRequest) IsDryRun() bool { return r.DryRun }

// IsDryRun says whether the patch is only tried.
func (r ApplyPatchRequest) IsDryRun() bool { return r.DryRun }

// IsDryRun says whether the lesson is only tried.
func (r LearnRequest) IsDryRun() bool { return r.DryRun }

// IsDryRun says whether the session is only tried.
func (r StartSessionRequest) IsDryRun() bool { return r.DryRun }

// IsDryRun says whether the reply is only tried.
func (r SubmitDeltasRequest) IsDryRun() bool { return r.DryRun }

// IsDryRun says whether the redaction is only tried.
func (r RedactRequest) IsDryRun() bool { return r.DryRun }

// IsDryRun says whether the check only reports.
func (r CheckRequest) IsDryRun() bool { return r.DryRun }
