#!/bin/sh
# Stands in for Claude Code where the commands of the documents are run: it
# prints the stream that the real one prints at its end.
case "$1" in
--version) echo '2.1.0 (stand-in)'; exit ;;
auth) exit ;;
esac
cat > /dev/null
case "$BRENNER_AGENT" in
Tester) cat << 'END' ;;
{"type": "result", "subtype": "success", "is_error": false, "duration_ms": 900, "num_turns": 1, "result": "Here it is.\n\n```delta\n{\"operation\": \"ADD\", \"target_id\": null, \"section\": \"discriminative_tests\", \"payload\": {\"name\": \"Dark bottles\", \"procedure\": \"Incubate river water in dark bottles overnight.\", \"discriminates\": \"H1 against low flow\", \"expected_outcomes\": {\"H1\": \"oxygen falls\"}, \"potency_check\": \"sterile water must not lose oxygen\"}, \"rationale\": \"it was asked for\"}\n```\n", "session_id": "11111111-2222-4333-8444-555555555555", "total_cost_usd": 0.02, "modelUsage": {"a-model": {"inputTokens": 640, "outputTokens": 210, "cacheReadInputTokens": 1200, "cacheCreationInputTokens": 0}}, "usage": {"input_tokens": 640, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 1200, "output_tokens": 210}}
END
Critic) cat << 'END' ;;
{"type": "result", "subtype": "success", "is_error": false, "duration_ms": 900, "num_turns": 1, "result": "Here it is.\n\n```delta\n{\"operation\": \"ADD\", \"target_id\": null, \"section\": \"adversarial_critique\", \"payload\": {\"name\": \"One logger\", \"attack\": \"The weir may not stand for the whole reach.\"}, \"rationale\": \"it was asked for\"}\n```\n", "session_id": "11111111-2222-4333-8444-555555555555", "total_cost_usd": 0.02, "modelUsage": {"a-model": {"inputTokens": 640, "outputTokens": 210, "cacheReadInputTokens": 1200, "cacheCreationInputTokens": 0}}, "usage": {"input_tokens": 640, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 1200, "output_tokens": 210}}
END
*) cat << 'END' ;;
{"type": "result", "subtype": "success", "is_error": false, "duration_ms": 900, "num_turns": 1, "result": "Here it is.\n\n```delta\n{\"operation\": \"ADD\", \"target_id\": null, \"section\": \"hypothesis_slate\", \"payload\": {\"name\": \"Night respiration\", \"claim\": \"Algae and bacteria use up the oxygen at night.\", \"mechanism\": \"respiration\", \"third_alternative\": true}, \"rationale\": \"it was asked for\"}\n```\n", "session_id": "11111111-2222-4333-8444-555555555555", "total_cost_usd": 0.02, "modelUsage": {"a-model": {"inputTokens": 640, "outputTokens": 210, "cacheReadInputTokens": 1200, "cacheCreationInputTokens": 0}}, "usage": {"input_tokens": 640, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 1200, "output_tokens": 210}}
END
esac
