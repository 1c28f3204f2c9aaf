import type { EngineOptions } from './engineArguments';

/** The counters of an engine, which begin at 0 with its process. */
export class EngineCounters {
  running = 0;
  promptTokens = 0;
  outputTokens = 0;
  readonly finished = new Map<string, number>();

  finish(reason: string): void {
    this.finished.set(reason, (this.finished.get(reason) ?? 0) + 1);
  }

  /** In the text form of Prometheus. */
  text({ engine, name }: EngineOptions): string {
    const rows: readonly (readonly [string, string, number, Readonly<Record<string, string>>?])[] =
      engine === 'vllm'
        ? [
            ['vllm:num_requests_running', 'gauge', this.running],
            ['vllm:num_requests_waiting', 'gauge', 0],
            ['vllm:kv_cache_usage_perc', 'gauge', this.running / 100],
            ['vllm:prompt_tokens_total', 'counter', this.promptTokens],
            ['vllm:generation_tokens_total', 'counter', this.outputTokens],
            ...['stop', 'length', 'abort'].map(
              (reason) =>
                [
                  'vllm:request_success_total',
                  'counter',
                  this.finished.get(reason) ?? 0,
                  { finished_reason: reason },
                ] as const,
            ),
          ]
        : [
            ['llamacpp:prompt_tokens_total', 'counter', this.promptTokens],
            ['llamacpp:tokens_predicted_total', 'counter', this.outputTokens],
            ['llamacpp:requests_processing', 'gauge', this.running],
            ['llamacpp:requests_deferred', 'gauge', 0],
          ];
    const labels = engine === 'vllm' ? { engine: '0', model_name: name } : {};
    const seen = new Set<string>();
    return rows
      .map(([metric, type, value, more]) => {
        const head = seen.has(metric) ? '' : `# HELP ${metric} Of the stand-in.\n# TYPE ${metric} ${type}\n`;
        seen.add(metric);
        const all = Object.entries({ ...labels, ...more }).map(([key, text]) => `${key}="${text}"`);
        // vLLM is written in Python, whose numbers of this kind have a point.
        const shown = engine === 'vllm' && Number.isInteger(value) ? value.toFixed(1) : String(value);
        return `${head}${metric}${all.length > 0 ? `{${all.join(',')}}` : ''} ${shown}\n`;
      })
      .join('');
  }
}
