package httpapi

import (
	"context"

	"brenner/api"
)

// The methods of the service, each a row of the table. Export is in client.go.

// Status implements api.Service.
func (c *Client) Status(ctx context.Context) (api.StatusResult, error) {
	return call[api.StatusResult](ctx, c, "Status", nil)
}

// Snapshot implements api.Service.
func (c *Client) Snapshot(ctx context.Context, req api.SnapshotRequest) (api.SnapshotResult, error) {
	return call[api.SnapshotResult](ctx, c, "Snapshot", req)
}

// Project implements api.Service.
func (c *Client) Project(ctx context.Context) (api.ProjectInfo, error) {
	return call[api.ProjectInfo](ctx, c, "Project", nil)
}

// ApplyConfig implements api.Service.
func (c *Client) ApplyConfig(ctx context.Context, req api.ApplyConfigRequest) (api.ApplyConfigResult, error) {
	return call[api.ApplyConfigResult](ctx, c, "ApplyConfig", req)
}

// Types implements api.Service.
func (c *Client) Types(ctx context.Context, req api.TypesRequest) (api.TypesResult, error) {
	return call[api.TypesResult](ctx, c, "Types", req)
}

// CreateArtifact implements api.Service.
func (c *Client) CreateArtifact(ctx context.Context, req api.CreateArtifactRequest) (api.WriteResult, error) {
	return call[api.WriteResult](ctx, c, "CreateArtifact", req)
}

// Artifacts implements api.Service.
func (c *Client) Artifacts(ctx context.Context, req api.ListArtifactsRequest) (api.ArtifactList, error) {
	return call[api.ArtifactList](ctx, c, "Artifacts", req)
}

// SearchArtifacts implements api.Service.
func (c *Client) SearchArtifacts(ctx context.Context, req api.SearchArtifactsRequest) (api.SearchResult, error) {
	return call[api.SearchResult](ctx, c, "SearchArtifacts", req)
}

// Artifact implements api.Service.
func (c *Client) Artifact(ctx context.Context, req api.ArtifactRequest) (api.ArtifactView, error) {
	return call[api.ArtifactView](ctx, c, "Artifact", req)
}

// UpdateArtifact implements api.Service.
func (c *Client) UpdateArtifact(ctx context.Context, req api.UpdateArtifactRequest) (api.WriteResult, error) {
	return call[api.WriteResult](ctx, c, "UpdateArtifact", req)
}

// History implements api.Service.
func (c *Client) History(ctx context.Context, req api.HistoryRequest) (api.HistoryResult, error) {
	return call[api.HistoryResult](ctx, c, "History", req)
}

// Promote implements api.Service.
func (c *Client) Promote(ctx context.Context, req api.PromoteRequest) (api.DecisionResult, error) {
	return call[api.DecisionResult](ctx, c, "Promote", req)
}

// Demote implements api.Service.
func (c *Client) Demote(ctx context.Context, req api.DecisionRequest) (api.DecisionResult, error) {
	return call[api.DecisionResult](ctx, c, "Demote", req)
}

// Deprecate implements api.Service.
func (c *Client) Deprecate(ctx context.Context, req api.DecisionRequest) (api.DecisionResult, error) {
	return call[api.DecisionResult](ctx, c, "Deprecate", req)
}

// Diff implements api.Service.
func (c *Client) Diff(ctx context.Context, req api.DiffRequest) (api.DiffResult, error) {
	return call[api.DiffResult](ctx, c, "Diff", req)
}

// Link implements api.Service.
func (c *Client) Link(ctx context.Context, req api.LinkRequest) (api.LinkResult, error) {
	return call[api.LinkResult](ctx, c, "Link", req)
}

// WriteBatch implements api.Service.
func (c *Client) WriteBatch(ctx context.Context, req api.BatchRequest) (api.BatchResult, error) {
	return call[api.BatchResult](ctx, c, "WriteBatch", req)
}

// ApplyPatch implements api.Service.
func (c *Client) ApplyPatch(ctx context.Context, req api.ApplyPatchRequest) (api.PatchResult, error) {
	return call[api.PatchResult](ctx, c, "ApplyPatch", req)
}

// ExplainPatch implements api.Service.
func (c *Client) ExplainPatch(ctx context.Context, req api.ExplainPatchRequest) (api.PatchExplanation, error) {
	return call[api.PatchExplanation](ctx, c, "ExplainPatch", req)
}

// PatchBetween implements api.Service.
func (c *Client) PatchBetween(ctx context.Context, req api.PatchBetweenRequest) (api.PatchBetweenResult, error) {
	return call[api.PatchBetweenResult](ctx, c, "PatchBetween", req)
}

// Forks implements api.Service.
func (c *Client) Forks(ctx context.Context) (api.ForksResult, error) {
	return call[api.ForksResult](ctx, c, "Forks", nil)
}

// Stale implements api.Service.
func (c *Client) Stale(ctx context.Context, req api.StaleRequest) (api.StaleResult, error) {
	return call[api.StaleResult](ctx, c, "Stale", req)
}

// Spine implements api.Service.
func (c *Client) Spine(ctx context.Context) (api.SpineResult, error) {
	return call[api.SpineResult](ctx, c, "Spine", nil)
}

// Lineage implements api.Service.
func (c *Client) Lineage(ctx context.Context, req api.LineageRequest) (api.LineageResult, error) {
	return call[api.LineageResult](ctx, c, "Lineage", req)
}

// OpenForkTasks implements api.Service.
func (c *Client) OpenForkTasks(ctx context.Context, req api.OpenForkTasksRequest) (api.OpenedTasks, error) {
	return call[api.OpenedTasks](ctx, c, "OpenForkTasks", req)
}

// CheckAlignment implements api.Service.
func (c *Client) CheckAlignment(ctx context.Context, req api.CheckRequest) (api.CheckResult, error) {
	return call[api.CheckResult](ctx, c, "CheckAlignment", req)
}

// CheckAssumptions implements api.Service.
func (c *Client) CheckAssumptions(ctx context.Context, req api.CheckRequest) (api.CheckResult, error) {
	return call[api.CheckResult](ctx, c, "CheckAssumptions", req)
}

// Consolidate implements api.Service.
func (c *Client) Consolidate(ctx context.Context, req api.ConsolidateRequest) (api.ConsolidateResult, error) {
	return call[api.ConsolidateResult](ctx, c, "Consolidate", req)
}

// CollectGarbage implements api.Service.
func (c *Client) CollectGarbage(ctx context.Context, req api.GarbageRequest) (api.GarbageResult, error) {
	return call[api.GarbageResult](ctx, c, "CollectGarbage", req)
}

// NewTask implements api.Service.
func (c *Client) NewTask(ctx context.Context, req api.NewTaskRequest) (api.TaskInfo, error) {
	return call[api.TaskInfo](ctx, c, "NewTask", req)
}

// Tasks implements api.Service.
func (c *Client) Tasks(ctx context.Context, req api.ListTasksRequest) (api.TaskList, error) {
	return call[api.TaskList](ctx, c, "Tasks", req)
}

// ClaimTask implements api.Service.
func (c *Client) ClaimTask(ctx context.Context, req api.ClaimTaskRequest) (api.TaskInfo, error) {
	return call[api.TaskInfo](ctx, c, "ClaimTask", req)
}

// Task implements api.Service.
func (c *Client) Task(ctx context.Context, req api.TaskRequest) (api.TaskInfo, error) {
	return call[api.TaskInfo](ctx, c, "Task", req)
}

// ReleaseTask implements api.Service.
func (c *Client) ReleaseTask(ctx context.Context, req api.TaskRequest) (api.TaskInfo, error) {
	return call[api.TaskInfo](ctx, c, "ReleaseTask", req)
}

// ReassignTask implements api.Service.
func (c *Client) ReassignTask(ctx context.Context, req api.ReassignTaskRequest) (api.TaskInfo, error) {
	return call[api.TaskInfo](ctx, c, "ReassignTask", req)
}

// CancelTask implements api.Service.
func (c *Client) CancelTask(ctx context.Context, req api.CancelTaskRequest) (api.TaskInfo, error) {
	return call[api.TaskInfo](ctx, c, "CancelTask", req)
}

// CompleteTask implements api.Service.
func (c *Client) CompleteTask(ctx context.Context, req api.CompleteTaskRequest) (api.TaskInfo, error) {
	return call[api.TaskInfo](ctx, c, "CompleteTask", req)
}

// AssembleContext implements api.Service.
func (c *Client) AssembleContext(ctx context.Context, req api.ContextRequest) (api.ContextResult, error) {
	return call[api.ContextResult](ctx, c, "AssembleContext", req)
}

// PreviewContext implements api.Service.
func (c *Client) PreviewContext(ctx context.Context, req api.ContextRequest) (api.ContextResult, error) {
	return call[api.ContextResult](ctx, c, "PreviewContext", req)
}

// Invocations implements api.Service.
func (c *Client) Invocations(ctx context.Context, req api.ListInvocationsRequest) (api.InvocationList, error) {
	return call[api.InvocationList](ctx, c, "Invocations", req)
}

// Invocation implements api.Service.
func (c *Client) Invocation(ctx context.Context, req api.InvocationRequest) (api.InvocationInfo, error) {
	return call[api.InvocationInfo](ctx, c, "Invocation", req)
}

// Views implements api.Service.
func (c *Client) Views(ctx context.Context) (api.ViewList, error) {
	return call[api.ViewList](ctx, c, "Views", nil)
}

// RaiseStalemate implements api.Service.
func (c *Client) RaiseStalemate(ctx context.Context, req api.RaiseStalemateRequest) (api.StalemateInfo, error) {
	return call[api.StalemateInfo](ctx, c, "RaiseStalemate", req)
}

// Stalemates implements api.Service.
func (c *Client) Stalemates(ctx context.Context, req api.ListStalematesRequest) (api.StalemateList, error) {
	return call[api.StalemateList](ctx, c, "Stalemates", req)
}

// ImportStalemate implements api.Service.
func (c *Client) ImportStalemate(ctx context.Context, req api.ImportStalemateRequest) (api.StalemateInfo, error) {
	return call[api.StalemateInfo](ctx, c, "ImportStalemate", req)
}

// Stalemate implements api.Service.
func (c *Client) Stalemate(ctx context.Context, req api.StalemateRequest) (api.StalemateView, error) {
	return call[api.StalemateView](ctx, c, "Stalemate", req)
}

// ExportStalemate implements api.Service.
func (c *Client) ExportStalemate(ctx context.Context, req api.StalemateRequest) (api.StalemateExport, error) {
	return call[api.StalemateExport](ctx, c, "ExportStalemate", req)
}

// ArbitrateStalemate implements api.Service.
func (c *Client) ArbitrateStalemate(ctx context.Context, req api.StalemateRequest) (api.StalemateInfo, error) {
	return call[api.StalemateInfo](ctx, c, "ArbitrateStalemate", req)
}

// DecideStalemate implements api.Service.
func (c *Client) DecideStalemate(ctx context.Context, req api.VerdictRequest) (api.StalemateInfo, error) {
	return call[api.StalemateInfo](ctx, c, "DecideStalemate", req)
}

// MoveStalemate implements api.Service.
func (c *Client) MoveStalemate(ctx context.Context, req api.MoveStalemateRequest) (api.StalemateInfo, error) {
	return call[api.StalemateInfo](ctx, c, "MoveStalemate", req)
}

// StartSession implements api.Service.
func (c *Client) StartSession(ctx context.Context, req api.StartSessionRequest) (api.SessionStart, error) {
	return call[api.SessionStart](ctx, c, "StartSession", req)
}

// Rosters implements api.Service.
func (c *Client) Rosters(ctx context.Context) (api.RosterChoices, error) {
	return call[api.RosterChoices](ctx, c, "Rosters", nil)
}

// Sessions implements api.Service.
func (c *Client) Sessions(ctx context.Context, req api.ListSessionsRequest) (api.SessionList, error) {
	return call[api.SessionList](ctx, c, "Sessions", req)
}

// Session implements api.Service.
func (c *Client) Session(ctx context.Context, req api.SessionRequest) (api.SessionView, error) {
	return call[api.SessionView](ctx, c, "Session", req)
}

// SessionStatus implements api.Service.
func (c *Client) SessionStatus(ctx context.Context, req api.SessionStatusRequest) (api.SessionStatus, error) {
	return call[api.SessionStatus](ctx, c, "SessionStatus", req)
}

// DiagnoseSession implements api.Service.
func (c *Client) DiagnoseSession(ctx context.Context, req api.DiagnoseSessionRequest) (api.Diagnosis, error) {
	return call[api.Diagnosis](ctx, c, "DiagnoseSession", req)
}

// FetchReplies implements api.Service.
func (c *Client) FetchReplies(ctx context.Context, req api.FetchRepliesRequest) (api.FetchResult, error) {
	return call[api.FetchResult](ctx, c, "FetchReplies", req)
}

// CompileSession implements api.Service.
func (c *Client) CompileSession(ctx context.Context, req api.CompileSessionRequest) (api.CompileResult, error) {
	return call[api.CompileResult](ctx, c, "CompileSession", req)
}

// NudgeSession implements api.Service.
func (c *Client) NudgeSession(ctx context.Context, req api.NudgeSessionRequest) (api.DeliveryResult, error) {
	return call[api.DeliveryResult](ctx, c, "NudgeSession", req)
}

// ResendSession implements api.Service.
func (c *Client) ResendSession(ctx context.Context, req api.ResendSessionRequest) (api.DeliveryResult, error) {
	return call[api.DeliveryResult](ctx, c, "ResendSession", req)
}

// SubmitDeltas implements api.Service.
func (c *Client) SubmitDeltas(ctx context.Context, req api.SubmitDeltasRequest) (api.Submission, error) {
	return call[api.Submission](ctx, c, "SubmitDeltas", req)
}

// Conflicts implements api.Service.
func (c *Client) Conflicts(ctx context.Context, req api.ListConflictsRequest) (api.ConflictList, error) {
	return call[api.ConflictList](ctx, c, "Conflicts", req)
}

// ResolveConflict implements api.Service.
func (c *Client) ResolveConflict(ctx context.Context, req api.ResolveConflictRequest) (api.CompileResult, error) {
	return call[api.CompileResult](ctx, c, "ResolveConflict", req)
}

// Inbox implements api.Service.
func (c *Client) Inbox(ctx context.Context, req api.InboxRequest) (api.MessageList, error) {
	return call[api.MessageList](ctx, c, "Inbox", req)
}

// ReadMessage implements api.Service.
func (c *Client) ReadMessage(ctx context.Context, req api.MessageRequest) (api.MessageView, error) {
	return call[api.MessageView](ctx, c, "ReadMessage", req)
}

// AckMessage implements api.Service.
func (c *Client) AckMessage(ctx context.Context, req api.MessageRequest) (api.MessageInfo, error) {
	return call[api.MessageInfo](ctx, c, "AckMessage", req)
}

// ReplyMessage implements api.Service.
func (c *Client) ReplyMessage(ctx context.Context, req api.ReplyMessageRequest) (api.Submission, error) {
	return call[api.Submission](ctx, c, "ReplyMessage", req)
}

// Learn implements api.Service.
func (c *Client) Learn(ctx context.Context, req api.LearnRequest) (api.LearnResult, error) {
	return call[api.LearnResult](ctx, c, "Learn", req)
}

// Bullets implements api.Service.
func (c *Client) Bullets(ctx context.Context, req api.ListBulletsRequest) (api.BulletList, error) {
	return call[api.BulletList](ctx, c, "Bullets", req)
}

// PlaybookStats implements api.Service.
func (c *Client) PlaybookStats(ctx context.Context, req api.PlaybookStatsRequest) (api.PlaybookStats, error) {
	return call[api.PlaybookStats](ctx, c, "PlaybookStats", req)
}

// ExportPlaybook implements api.Service.
func (c *Client) ExportPlaybook(ctx context.Context, req api.ExportPlaybookRequest) (api.PlaybookExport, error) {
	return call[api.PlaybookExport](ctx, c, "ExportPlaybook", req)
}

// SameBullets implements api.Service.
func (c *Client) SameBullets(ctx context.Context, req api.SameBulletsRequest) (api.BulletResult, error) {
	return call[api.BulletResult](ctx, c, "SameBullets", req)
}

// PromoteBullets implements api.Service.
func (c *Client) PromoteBullets(ctx context.Context, req api.PromoteBulletsRequest) (api.BulletResult, error) {
	return call[api.BulletResult](ctx, c, "PromoteBullets", req)
}

// UndoBullet implements api.Service.
func (c *Client) UndoBullet(ctx context.Context, req api.UndoBulletRequest) (api.BulletResult, error) {
	return call[api.BulletResult](ctx, c, "UndoBullet", req)
}

// Reembed implements api.Service.
func (c *Client) Reembed(ctx context.Context, req api.ReembedRequest) (api.ReembedResult, error) {
	return call[api.ReembedResult](ctx, c, "Reembed", req)
}

// Bullet implements api.Service.
func (c *Client) Bullet(ctx context.Context, req api.BulletRequest) (api.BulletView, error) {
	return call[api.BulletView](ctx, c, "Bullet", req)
}

// Feedback implements api.Service.
func (c *Client) Feedback(ctx context.Context, req api.FeedbackRequest) (api.BulletResult, error) {
	return call[api.BulletResult](ctx, c, "Feedback", req)
}

// ForceBullet implements api.Service.
func (c *Client) ForceBullet(ctx context.Context, req api.ForceBulletRequest) (api.BulletResult, error) {
	return call[api.BulletResult](ctx, c, "ForceBullet", req)
}

// ReleaseBullet implements api.Service.
func (c *Client) ReleaseBullet(ctx context.Context, req api.ReleaseBulletRequest) (api.BulletResult, error) {
	return call[api.BulletResult](ctx, c, "ReleaseBullet", req)
}

// ReviewBullet implements api.Service.
func (c *Client) ReviewBullet(ctx context.Context, req api.ReviewBulletRequest) (api.BulletResult, error) {
	return call[api.BulletResult](ctx, c, "ReviewBullet", req)
}

// AmendBullet implements api.Service.
func (c *Client) AmendBullet(ctx context.Context, req api.AmendBulletRequest) (api.BulletResult, error) {
	return call[api.BulletResult](ctx, c, "AmendBullet", req)
}

// AddAgent implements api.Service.
func (c *Client) AddAgent(ctx context.Context, req api.AddAgentRequest) (api.AgentInfo, error) {
	return call[api.AgentInfo](ctx, c, "AddAgent", req)
}

// Agents implements api.Service.
func (c *Client) Agents(ctx context.Context) (api.AgentList, error) {
	return call[api.AgentList](ctx, c, "Agents", nil)
}

// Denials implements api.Service.
func (c *Client) Denials(ctx context.Context, req api.DenialsRequest) (api.DenialList, error) {
	return call[api.DenialList](ctx, c, "Denials", req)
}

// IssueToken implements api.Service.
func (c *Client) IssueToken(ctx context.Context, req api.IssueTokenRequest) (api.IssuedToken, error) {
	return call[api.IssuedToken](ctx, c, "IssueToken", req)
}

// Tokens implements api.Service.
func (c *Client) Tokens(ctx context.Context) (api.TokenList, error) {
	return call[api.TokenList](ctx, c, "Tokens", nil)
}

// RevokeToken implements api.Service.
func (c *Client) RevokeToken(ctx context.Context, req api.RevokeTokenRequest) (api.TokenList, error) {
	return call[api.TokenList](ctx, c, "RevokeToken", req)
}

// Records implements api.Service.
func (c *Client) Records(ctx context.Context, req api.RecordsRequest) (api.RecordList, error) {
	return call[api.RecordList](ctx, c, "Records", req)
}

// Verify implements api.Service.
func (c *Client) Verify(ctx context.Context, req api.VerifyRequest) (api.VerifyResult, error) {
	return call[api.VerifyResult](ctx, c, "Verify", req)
}

// Replay implements api.Service.
func (c *Client) Replay(ctx context.Context, req api.ReplayRequest) (api.ReplayResult, error) {
	return call[api.ReplayResult](ctx, c, "Replay", req)
}

// Checkpoint implements api.Service.
func (c *Client) Checkpoint(ctx context.Context) (api.CheckpointResult, error) {
	return call[api.CheckpointResult](ctx, c, "Checkpoint", nil)
}

// Redact implements api.Service.
func (c *Client) Redact(ctx context.Context, req api.RedactRequest) (api.RedactResult, error) {
	return call[api.RedactResult](ctx, c, "Redact", req)
}
