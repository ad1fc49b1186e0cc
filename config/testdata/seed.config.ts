// brenner.config.ts
export default {
  roster: {
    presets: [
      {
        id: "default-3-agent",
        name: "Default 3-Agent Setup",
        description: "Standard Brenner Protocol with Codex/Opus/Gemini",
        entries: [
          { role: "hypothesis_generator", program: "codex-cli", model: "GPT-5.2" },
          { role: "test_designer", program: "claude-code", model: "Opus 4.5" },
          { role: "adversarial_critic", program: "gemini-cli", model: "Gemini 3" },
        ],
      },
    ],
    defaultPreset: "default-3-agent",
  },
};
