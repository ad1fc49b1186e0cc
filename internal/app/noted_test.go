package app_test

import (
	"context"
	"io"

	"brenner/api"
)

// Every use case, with its request and its answer noted. One that is missing here
// is not noted; TestTranscript_HasEveryUseCase sees to that.

func (s noted) AddAgent(ctx context.Context, req api.AddAgentRequest) (api.AgentInfo, error) {
	return tell[api.AgentInfo](s, "AddAgent", req)(s.Service.AddAgent(ctx, req))
}

func (s noted) Agents(ctx context.Context) (api.AgentList, error) {
	return tell[api.AgentList](s, "Agents", nil)(s.Service.Agents(ctx))
}

func (s noted) Denials(ctx context.Context, req api.DenialsRequest) (api.DenialList, error) {
	return tell[api.DenialList](s, "Denials", req)(s.Service.Denials(ctx, req))
}

func (s noted) IssueToken(ctx context.Context, req api.IssueTokenRequest) (api.IssuedToken, error) {
	return tell[api.IssuedToken](s, "IssueToken", req)(s.Service.IssueToken(ctx, req))
}

func (s noted) RevokeToken(ctx context.Context, req api.RevokeTokenRequest) (api.TokenList, error) {
	return tell[api.TokenList](s, "RevokeToken", req)(s.Service.RevokeToken(ctx, req))
}

func (s noted) Tokens(ctx context.Context) (api.TokenList, error) {
	return tell[api.TokenList](s, "Tokens", nil)(s.Service.Tokens(ctx))
}

func (s noted) CreateArtifact(ctx context.Context, req api.CreateArtifactRequest) (api.WriteResult, error) {
	return tell[api.WriteResult](s, "CreateArtifact", req)(s.Service.CreateArtifact(ctx, req))
}

func (s noted) UpdateArtifact(ctx context.Context, req api.UpdateArtifactRequest) (api.WriteResult, error) {
	return tell[api.WriteResult](s, "UpdateArtifact", req)(s.Service.UpdateArtifact(ctx, req))
}

func (s noted) Artifact(ctx context.Context, req api.ArtifactRequest) (api.ArtifactView, error) {
	return tell[api.ArtifactView](s, "Artifact", req)(s.Service.Artifact(ctx, req))
}

func (s noted) Artifacts(ctx context.Context, req api.ListArtifactsRequest) (api.ArtifactList, error) {
	return tell[api.ArtifactList](s, "Artifacts", req)(s.Service.Artifacts(ctx, req))
}

func (s noted) SearchArtifacts(ctx context.Context, req api.SearchArtifactsRequest) (api.SearchResult, error) {
	return tell[api.SearchResult](s, "SearchArtifacts", req)(s.Service.SearchArtifacts(ctx, req))
}

func (s noted) History(ctx context.Context, req api.HistoryRequest) (api.HistoryResult, error) {
	return tell[api.HistoryResult](s, "History", req)(s.Service.History(ctx, req))
}

func (s noted) Diff(ctx context.Context, req api.DiffRequest) (api.DiffResult, error) {
	return tell[api.DiffResult](s, "Diff", req)(s.Service.Diff(ctx, req))
}

func (s noted) Link(ctx context.Context, req api.LinkRequest) (api.LinkResult, error) {
	return tell[api.LinkResult](s, "Link", req)(s.Service.Link(ctx, req))
}

func (s noted) Promote(ctx context.Context, req api.PromoteRequest) (api.DecisionResult, error) {
	return tell[api.DecisionResult](s, "Promote", req)(s.Service.Promote(ctx, req))
}

func (s noted) Demote(ctx context.Context, req api.DecisionRequest) (api.DecisionResult, error) {
	return tell[api.DecisionResult](s, "Demote", req)(s.Service.Demote(ctx, req))
}

func (s noted) Deprecate(ctx context.Context, req api.DecisionRequest) (api.DecisionResult, error) {
	return tell[api.DecisionResult](s, "Deprecate", req)(s.Service.Deprecate(ctx, req))
}

func (s noted) AutomationRules(ctx context.Context) (api.AutomationRules, error) {
	return tell[api.AutomationRules](s, "AutomationRules", nil)(s.Service.AutomationRules(ctx))
}

func (s noted) Firings(ctx context.Context, req api.FiringsRequest) (api.FiringList, error) {
	return tell[api.FiringList](s, "Firings", req)(s.Service.Firings(ctx, req))
}

func (s noted) TestAutomation(ctx context.Context, req api.TestAutomationRequest) (api.AutomationForecast, error) {
	return tell[api.AutomationForecast](s, "TestAutomation", req)(s.Service.TestAutomation(ctx, req))
}

func (s noted) PauseAutomation(ctx context.Context, req api.PauseAutomationRequest) (api.AutomationRules, error) {
	return tell[api.AutomationRules](s, "PauseAutomation", req)(s.Service.PauseAutomation(ctx, req))
}

func (s noted) ResumeAutomation(ctx context.Context, req api.PauseAutomationRequest) (api.AutomationRules, error) {
	return tell[api.AutomationRules](s, "ResumeAutomation", req)(s.Service.ResumeAutomation(ctx, req))
}

func (s noted) SettleNotices(ctx context.Context, req api.SettleNoticesRequest) (api.SettledNotices, error) {
	return tell[api.SettledNotices](s, "SettleNotices", req)(s.Service.SettleNotices(ctx, req))
}

func (s noted) AssembleContext(ctx context.Context, req api.ContextRequest) (api.ContextResult, error) {
	return tell[api.ContextResult](s, "AssembleContext", req)(s.Service.AssembleContext(ctx, req))
}

func (s noted) PreviewContext(ctx context.Context, req api.ContextRequest) (api.ContextResult, error) {
	return tell[api.ContextResult](s, "PreviewContext", req)(s.Service.PreviewContext(ctx, req))
}

func (s noted) Invocation(ctx context.Context, req api.InvocationRequest) (api.InvocationInfo, error) {
	return tell[api.InvocationInfo](s, "Invocation", req)(s.Service.Invocation(ctx, req))
}

func (s noted) Invocations(ctx context.Context, req api.ListInvocationsRequest) (api.InvocationList, error) {
	return tell[api.InvocationList](s, "Invocations", req)(s.Service.Invocations(ctx, req))
}

func (s noted) Views(ctx context.Context) (api.ViewList, error) {
	return tell[api.ViewList](s, "Views", nil)(s.Service.Views(ctx))
}

func (s noted) WriteBatch(ctx context.Context, req api.BatchRequest) (api.BatchResult, error) {
	return tell[api.BatchResult](s, "WriteBatch", req)(s.Service.WriteBatch(ctx, req))
}

func (s noted) Forks(ctx context.Context) (api.ForksResult, error) {
	return tell[api.ForksResult](s, "Forks", nil)(s.Service.Forks(ctx))
}

func (s noted) Stale(ctx context.Context, req api.StaleRequest) (api.StaleResult, error) {
	return tell[api.StaleResult](s, "Stale", req)(s.Service.Stale(ctx, req))
}

func (s noted) Spine(ctx context.Context) (api.SpineResult, error) {
	return tell[api.SpineResult](s, "Spine", nil)(s.Service.Spine(ctx))
}

func (s noted) Lineage(ctx context.Context, req api.LineageRequest) (api.LineageResult, error) {
	return tell[api.LineageResult](s, "Lineage", req)(s.Service.Lineage(ctx, req))
}

func (s noted) Records(ctx context.Context, req api.RecordsRequest) (api.RecordList, error) {
	return tell[api.RecordList](s, "Records", req)(s.Service.Records(ctx, req))
}

func (s noted) Verify(ctx context.Context, req api.VerifyRequest) (api.VerifyResult, error) {
	return tell[api.VerifyResult](s, "Verify", req)(s.Service.Verify(ctx, req))
}

func (s noted) Replay(ctx context.Context, req api.ReplayRequest) (api.ReplayResult, error) {
	return tell[api.ReplayResult](s, "Replay", req)(s.Service.Replay(ctx, req))
}

func (s noted) Checkpoint(ctx context.Context) (api.CheckpointResult, error) {
	return tell[api.CheckpointResult](s, "Checkpoint", nil)(s.Service.Checkpoint(ctx))
}

func (s noted) Export(ctx context.Context, w io.Writer) (api.ExportResult, error) {
	return tell[api.ExportResult](s, "Export", nil)(s.Service.Export(ctx, w))
}

func (s noted) Redact(ctx context.Context, req api.RedactRequest) (api.RedactResult, error) {
	return tell[api.RedactResult](s, "Redact", req)(s.Service.Redact(ctx, req))
}

func (s noted) Inbox(ctx context.Context, req api.InboxRequest) (api.MessageList, error) {
	return tell[api.MessageList](s, "Inbox", req)(s.Service.Inbox(ctx, req))
}

func (s noted) ReadMessage(ctx context.Context, req api.MessageRequest) (api.MessageView, error) {
	return tell[api.MessageView](s, "ReadMessage", req)(s.Service.ReadMessage(ctx, req))
}

func (s noted) AckMessage(ctx context.Context, req api.MessageRequest) (api.MessageInfo, error) {
	return tell[api.MessageInfo](s, "AckMessage", req)(s.Service.AckMessage(ctx, req))
}

func (s noted) ReplyMessage(ctx context.Context, req api.ReplyMessageRequest) (api.Submission, error) {
	return tell[api.Submission](s, "ReplyMessage", req)(s.Service.ReplyMessage(ctx, req))
}

func (s noted) ApplyPatch(ctx context.Context, req api.ApplyPatchRequest) (api.PatchResult, error) {
	return tell[api.PatchResult](s, "ApplyPatch", req)(s.Service.ApplyPatch(ctx, req))
}

func (s noted) ExplainPatch(ctx context.Context, req api.ExplainPatchRequest) (api.PatchExplanation, error) {
	return tell[api.PatchExplanation](s, "ExplainPatch", req)(s.Service.ExplainPatch(ctx, req))
}

func (s noted) PatchBetween(ctx context.Context, req api.PatchBetweenRequest) (api.PatchBetweenResult, error) {
	return tell[api.PatchBetweenResult](s, "PatchBetween", req)(s.Service.PatchBetween(ctx, req))
}

func (s noted) Learn(ctx context.Context, req api.LearnRequest) (api.LearnResult, error) {
	return tell[api.LearnResult](s, "Learn", req)(s.Service.Learn(ctx, req))
}

func (s noted) Bullets(ctx context.Context, req api.ListBulletsRequest) (api.BulletList, error) {
	return tell[api.BulletList](s, "Bullets", req)(s.Service.Bullets(ctx, req))
}

func (s noted) Bullet(ctx context.Context, req api.BulletRequest) (api.BulletView, error) {
	return tell[api.BulletView](s, "Bullet", req)(s.Service.Bullet(ctx, req))
}

func (s noted) Feedback(ctx context.Context, req api.FeedbackRequest) (api.BulletResult, error) {
	return tell[api.BulletResult](s, "Feedback", req)(s.Service.Feedback(ctx, req))
}

func (s noted) SameBullets(ctx context.Context, req api.SameBulletsRequest) (api.BulletResult, error) {
	return tell[api.BulletResult](s, "SameBullets", req)(s.Service.SameBullets(ctx, req))
}

func (s noted) PromoteBullets(ctx context.Context, req api.PromoteBulletsRequest) (api.BulletResult, error) {
	return tell[api.BulletResult](s, "PromoteBullets", req)(s.Service.PromoteBullets(ctx, req))
}

func (s noted) ForceBullet(ctx context.Context, req api.ForceBulletRequest) (api.BulletResult, error) {
	return tell[api.BulletResult](s, "ForceBullet", req)(s.Service.ForceBullet(ctx, req))
}

func (s noted) ReleaseBullet(ctx context.Context, req api.ReleaseBulletRequest) (api.BulletResult, error) {
	return tell[api.BulletResult](s, "ReleaseBullet", req)(s.Service.ReleaseBullet(ctx, req))
}

func (s noted) ReviewBullet(ctx context.Context, req api.ReviewBulletRequest) (api.BulletResult, error) {
	return tell[api.BulletResult](s, "ReviewBullet", req)(s.Service.ReviewBullet(ctx, req))
}

func (s noted) AmendBullet(ctx context.Context, req api.AmendBulletRequest) (api.BulletResult, error) {
	return tell[api.BulletResult](s, "AmendBullet", req)(s.Service.AmendBullet(ctx, req))
}

func (s noted) UndoBullet(ctx context.Context, req api.UndoBulletRequest) (api.BulletResult, error) {
	return tell[api.BulletResult](s, "UndoBullet", req)(s.Service.UndoBullet(ctx, req))
}

func (s noted) ExportPlaybook(ctx context.Context, req api.ExportPlaybookRequest) (api.PlaybookExport, error) {
	return tell[api.PlaybookExport](s, "ExportPlaybook", req)(s.Service.ExportPlaybook(ctx, req))
}

func (s noted) PlaybookStats(ctx context.Context, req api.PlaybookStatsRequest) (api.PlaybookStats, error) {
	return tell[api.PlaybookStats](s, "PlaybookStats", req)(s.Service.PlaybookStats(ctx, req))
}

func (s noted) Reembed(ctx context.Context, req api.ReembedRequest) (api.ReembedResult, error) {
	return tell[api.ReembedResult](s, "Reembed", req)(s.Service.Reembed(ctx, req))
}

func (s noted) Project(ctx context.Context) (api.ProjectInfo, error) {
	return tell[api.ProjectInfo](s, "Project", nil)(s.Service.Project(ctx))
}

func (s noted) ApplyConfig(ctx context.Context, req api.ApplyConfigRequest) (api.ApplyConfigResult, error) {
	return tell[api.ApplyConfigResult](s, "ApplyConfig", req)(s.Service.ApplyConfig(ctx, req))
}

func (s noted) Types(ctx context.Context, req api.TypesRequest) (api.TypesResult, error) {
	return tell[api.TypesResult](s, "Types", req)(s.Service.Types(ctx, req))
}

func (s noted) RolePrompt(ctx context.Context, req api.RolePromptRequest) (api.RolePrompt, error) {
	return tell[api.RolePrompt](s, "RolePrompt", req)(s.Service.RolePrompt(ctx, req))
}

func (s noted) Waiting(ctx context.Context, req api.WaitingRequest) (api.WaitingList, error) {
	return tell[api.WaitingList](s, "Waiting", req)(s.Service.Waiting(ctx, req))
}

func (s noted) Review(ctx context.Context, req api.ReviewRequest) (api.ReviewView, error) {
	return tell[api.ReviewView](s, "Review", req)(s.Service.Review(ctx, req))
}

func (s noted) HandIn(ctx context.Context, req api.HandInRequest) (api.HandedIn, error) {
	return tell[api.HandedIn](s, "HandIn", req)(s.Service.HandIn(ctx, req))
}

func (s noted) Approve(ctx context.Context, req api.ApproveRequest) (api.Approvals, error) {
	return tell[api.Approvals](s, "Approve", req)(s.Service.Approve(ctx, req))
}

func (s noted) Decide(ctx context.Context, req api.DecideRequest) (api.DecideResult, error) {
	return tell[api.DecideResult](s, "Decide", req)(s.Service.Decide(ctx, req))
}

func (s noted) RequestChanges(ctx context.Context, req api.RequestChangesRequest) (api.ChangesRequested, error) {
	return tell[api.ChangesRequested](s, "RequestChanges", req)(s.Service.RequestChanges(ctx, req))
}

func (s noted) Comment(ctx context.Context, req api.CommentRequest) (api.CommentInfo, error) {
	return tell[api.CommentInfo](s, "Comment", req)(s.Service.Comment(ctx, req))
}

func (s noted) SettleComment(ctx context.Context, req api.SettleCommentRequest) (api.CommentInfo, error) {
	return tell[api.CommentInfo](s, "SettleComment", req)(s.Service.SettleComment(ctx, req))
}

func (s noted) OpenWork(ctx context.Context, req api.OpenWorkRequest) (api.WorkList, error) {
	return tell[api.WorkList](s, "OpenWork", req)(s.Service.OpenWork(ctx, req))
}

func (s noted) StartRun(ctx context.Context, req api.StartRunRequest) (api.StartedRun, error) {
	return tell[api.StartedRun](s, "StartRun", req)(s.Service.StartRun(ctx, req))
}

func (s noted) BeatRuns(ctx context.Context, req api.BeatRunsRequest) (api.Beat, error) {
	return tell[api.Beat](s, "BeatRuns", req)(s.Service.BeatRuns(ctx, req))
}

func (s noted) EndRun(ctx context.Context, req api.EndRunRequest) (api.RunInfo, error) {
	return tell[api.RunInfo](s, "EndRun", req)(s.Service.EndRun(ctx, req))
}

func (s noted) StopRun(ctx context.Context, req api.StopRunRequest) (api.RunInfo, error) {
	return tell[api.RunInfo](s, "StopRun", req)(s.Service.StopRun(ctx, req))
}

func (s noted) Run(ctx context.Context, req api.RunRequest) (api.RunInfo, error) {
	return tell[api.RunInfo](s, "Run", req)(s.Service.Run(ctx, req))
}

func (s noted) Runs(ctx context.Context, req api.ListRunsRequest) (api.RunList, error) {
	return tell[api.RunList](s, "Runs", req)(s.Service.Runs(ctx, req))
}

func (s noted) RunCosts(ctx context.Context, req api.RunCostsRequest) (api.RunCosts, error) {
	return tell[api.RunCosts](s, "RunCosts", req)(s.Service.RunCosts(ctx, req))
}

func (s noted) RunLog(ctx context.Context, req api.RunRequest) (api.RunLog, error) {
	return tell[api.RunLog](s, "RunLog", req)(s.Service.RunLog(ctx, req))
}

func (s noted) StartSession(ctx context.Context, req api.StartSessionRequest) (api.SessionStart, error) {
	return tell[api.SessionStart](s, "StartSession", req)(s.Service.StartSession(ctx, req))
}

func (s noted) Rosters(ctx context.Context) (api.RosterChoices, error) {
	return tell[api.RosterChoices](s, "Rosters", nil)(s.Service.Rosters(ctx))
}

func (s noted) Sessions(ctx context.Context, req api.ListSessionsRequest) (api.SessionList, error) {
	return tell[api.SessionList](s, "Sessions", req)(s.Service.Sessions(ctx, req))
}

func (s noted) Session(ctx context.Context, req api.SessionRequest) (api.SessionView, error) {
	return tell[api.SessionView](s, "Session", req)(s.Service.Session(ctx, req))
}

func (s noted) SessionStatus(ctx context.Context, req api.SessionStatusRequest) (api.SessionStatus, error) {
	return tell[api.SessionStatus](s, "SessionStatus", req)(s.Service.SessionStatus(ctx, req))
}

func (s noted) SubmitDeltas(ctx context.Context, req api.SubmitDeltasRequest) (api.Submission, error) {
	return tell[api.Submission](s, "SubmitDeltas", req)(s.Service.SubmitDeltas(ctx, req))
}

func (s noted) FetchReplies(ctx context.Context, req api.FetchRepliesRequest) (api.FetchResult, error) {
	return tell[api.FetchResult](s, "FetchReplies", req)(s.Service.FetchReplies(ctx, req))
}

func (s noted) CompileSession(ctx context.Context, req api.CompileSessionRequest) (api.CompileResult, error) {
	return tell[api.CompileResult](s, "CompileSession", req)(s.Service.CompileSession(ctx, req))
}

func (s noted) NudgeSession(ctx context.Context, req api.NudgeSessionRequest) (api.DeliveryResult, error) {
	return tell[api.DeliveryResult](s, "NudgeSession", req)(s.Service.NudgeSession(ctx, req))
}

func (s noted) CloseSession(ctx context.Context, req api.CloseSessionRequest) (api.SessionInfo, error) {
	return tell[api.SessionInfo](s, "CloseSession", req)(s.Service.CloseSession(ctx, req))
}

func (s noted) ResendSession(ctx context.Context, req api.ResendSessionRequest) (api.DeliveryResult, error) {
	return tell[api.DeliveryResult](s, "ResendSession", req)(s.Service.ResendSession(ctx, req))
}

func (s noted) DiagnoseSession(ctx context.Context, req api.DiagnoseSessionRequest) (api.Diagnosis, error) {
	return tell[api.Diagnosis](s, "DiagnoseSession", req)(s.Service.DiagnoseSession(ctx, req))
}

func (s noted) Conflicts(ctx context.Context, req api.ListConflictsRequest) (api.ConflictList, error) {
	return tell[api.ConflictList](s, "Conflicts", req)(s.Service.Conflicts(ctx, req))
}

func (s noted) ResolveConflict(ctx context.Context, req api.ResolveConflictRequest) (api.CompileResult, error) {
	return tell[api.CompileResult](s, "ResolveConflict", req)(s.Service.ResolveConflict(ctx, req))
}

func (s noted) Snapshot(ctx context.Context, req api.SnapshotRequest) (api.SnapshotResult, error) {
	return tell[api.SnapshotResult](s, "Snapshot", req)(s.Service.Snapshot(ctx, req))
}

func (s noted) Status(ctx context.Context) (api.StatusResult, error) {
	return tell[api.StatusResult](s, "Status", nil)(s.Service.Status(ctx))
}

func (s noted) RaiseStalemate(ctx context.Context, req api.RaiseStalemateRequest) (api.StalemateInfo, error) {
	return tell[api.StalemateInfo](s, "RaiseStalemate", req)(s.Service.RaiseStalemate(ctx, req))
}

func (s noted) ImportStalemate(ctx context.Context, req api.ImportStalemateRequest) (api.StalemateInfo, error) {
	return tell[api.StalemateInfo](s, "ImportStalemate", req)(s.Service.ImportStalemate(ctx, req))
}

func (s noted) ExportStalemate(ctx context.Context, req api.StalemateRequest) (api.StalemateExport, error) {
	return tell[api.StalemateExport](s, "ExportStalemate", req)(s.Service.ExportStalemate(ctx, req))
}

func (s noted) Stalemate(ctx context.Context, req api.StalemateRequest) (api.StalemateView, error) {
	return tell[api.StalemateView](s, "Stalemate", req)(s.Service.Stalemate(ctx, req))
}

func (s noted) Stalemates(ctx context.Context, req api.ListStalematesRequest) (api.StalemateList, error) {
	return tell[api.StalemateList](s, "Stalemates", req)(s.Service.Stalemates(ctx, req))
}

func (s noted) ArbitrateStalemate(ctx context.Context, req api.StalemateRequest) (api.StalemateInfo, error) {
	return tell[api.StalemateInfo](s, "ArbitrateStalemate", req)(s.Service.ArbitrateStalemate(ctx, req))
}

func (s noted) DecideStalemate(ctx context.Context, req api.VerdictRequest) (api.StalemateInfo, error) {
	return tell[api.StalemateInfo](s, "DecideStalemate", req)(s.Service.DecideStalemate(ctx, req))
}

func (s noted) MoveStalemate(ctx context.Context, req api.MoveStalemateRequest) (api.StalemateInfo, error) {
	return tell[api.StalemateInfo](s, "MoveStalemate", req)(s.Service.MoveStalemate(ctx, req))
}

func (s noted) NewTask(ctx context.Context, req api.NewTaskRequest) (api.TaskInfo, error) {
	return tell[api.TaskInfo](s, "NewTask", req)(s.Service.NewTask(ctx, req))
}

func (s noted) ClaimTask(ctx context.Context, req api.ClaimTaskRequest) (api.TaskInfo, error) {
	return tell[api.TaskInfo](s, "ClaimTask", req)(s.Service.ClaimTask(ctx, req))
}

func (s noted) ReleaseTask(ctx context.Context, req api.ReleaseTaskRequest) (api.TaskInfo, error) {
	return tell[api.TaskInfo](s, "ReleaseTask", req)(s.Service.ReleaseTask(ctx, req))
}

func (s noted) ReassignTask(ctx context.Context, req api.ReassignTaskRequest) (api.TaskInfo, error) {
	return tell[api.TaskInfo](s, "ReassignTask", req)(s.Service.ReassignTask(ctx, req))
}

func (s noted) CancelTask(ctx context.Context, req api.CancelTaskRequest) (api.TaskInfo, error) {
	return tell[api.TaskInfo](s, "CancelTask", req)(s.Service.CancelTask(ctx, req))
}

func (s noted) CompleteTask(ctx context.Context, req api.CompleteTaskRequest) (api.TaskInfo, error) {
	return tell[api.TaskInfo](s, "CompleteTask", req)(s.Service.CompleteTask(ctx, req))
}

func (s noted) Task(ctx context.Context, req api.TaskRequest) (api.TaskInfo, error) {
	return tell[api.TaskInfo](s, "Task", req)(s.Service.Task(ctx, req))
}

func (s noted) Tasks(ctx context.Context, req api.ListTasksRequest) (api.TaskList, error) {
	return tell[api.TaskList](s, "Tasks", req)(s.Service.Tasks(ctx, req))
}

func (s noted) CheckAlignment(ctx context.Context, req api.CheckRequest) (api.CheckResult, error) {
	return tell[api.CheckResult](s, "CheckAlignment", req)(s.Service.CheckAlignment(ctx, req))
}

func (s noted) CheckAssumptions(ctx context.Context, req api.CheckRequest) (api.CheckResult, error) {
	return tell[api.CheckResult](s, "CheckAssumptions", req)(s.Service.CheckAssumptions(ctx, req))
}

func (s noted) CollectGarbage(ctx context.Context, req api.GarbageRequest) (api.GarbageResult, error) {
	return tell[api.GarbageResult](s, "CollectGarbage", req)(s.Service.CollectGarbage(ctx, req))
}

func (s noted) Consolidate(ctx context.Context, req api.ConsolidateRequest) (api.ConsolidateResult, error) {
	return tell[api.ConsolidateResult](s, "Consolidate", req)(s.Service.Consolidate(ctx, req))
}

func (s noted) OpenForkTasks(ctx context.Context, req api.OpenForkTasksRequest) (api.OpenedTasks, error) {
	return tell[api.OpenedTasks](s, "OpenForkTasks", req)(s.Service.OpenForkTasks(ctx, req))
}
