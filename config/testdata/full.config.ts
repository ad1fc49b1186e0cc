/* Everything a project can say about itself,
   as a TypeScript literal. */
const project: Config.Project<string, Extra[]> = {
  modules: ["core", { name: 'imaging', description: `Microscopy and what it shows` }],
  types: [
    {
      name: "protocol_note", title: "Protocol note", core: true, singleton: "module" as const, contextual: true,
      schema: { type: "object", required: ["steps"], "properties": { steps: { type: "array", items: { type: "string" } } } },
    },
    { name: "sketch", format: "text" } satisfies ArtifactType,
  ],
  roster: {
    name: "House team",
    entries: [
      { agentName: "BlueLake", role: "hypothesis_generator", program: "codex-cli" }, // the fast one
      { agentName: "PurpleMountain", role: "test_designer" as any, notes: "prefers \u00e9tudes" },
    ],
    presets: [
      {
        id: "pair",
        name: "Pair",
        entries: [{ role: "hypothesis_generator" }, { role: "adversarial_critic" }],
        placeholderNames: ["MAKER", "BREAKER"],
      },
    ],
    defaultPreset: "pair",
  },
  prompts: {
    test_designer: { path: "prompts/tests.md" },
    unified: `Work alone.
Answer with deltas.
`,
  },
  priority: ["PurpleMountain", "BlueLake"],
  compression_threshold: 12,
  policies: { pi: { promote: true } },
  views: { test_designer: { budget: 8e3 } },
  playbook: {
    threshold: 0.85,
    guard: false,
    embedding: { provider: "openai", url: "http://127.0.0.1:11434/v1", model: "nomic-embed-text", },
  },
} as const satisfies Config;

export default project;
