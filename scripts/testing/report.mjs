/** What a run prints, and what it adds up to. */
import { appendFileSync, mkdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { flakeText, lastLines, numbersText, sum, timesText } from './verdict.mjs';

export class Report {
  #all = [];
  /** Printed again at the end, where it is not lost among all that passed. */
  #failed = [];
  #flakes = [];
  /** Seconds of all steps, in the order in which they ended. */
  #times = [];
  #started = Date.now();
  /** Seconds by suite, of those that passed. */
  durations = {};

  constructor(results) {
    this.results = results;
  }

  say(name, line) {
    process.stdout.write(`${`[${name}]`.padEnd(11)} ${line}\n`);
  }

  /** Adds the numbers of one process. */
  count(name, numbers) {
    this.#all.push(numbers);
    this.#failed.push(...(numbers.failures ?? []).map((failure) => ({ name, ...failure })));
  }

  /** For failures that belong to no test. */
  fail(name, failures) {
    if (failures.length > 0) this.count(name, { passed: 0, failed: failures.length, failures });
  }

  flake(flake) {
    this.#flakes.push(flake);
    this.say('flaky', flakeText(flake));
    mkdirSync(this.results, { recursive: true });
    const entry = { ...flake, at: new Date().toISOString(), load: os.loadavg()[0] };
    appendFileSync(path.join(this.results, 'flaky.jsonl'), `${JSON.stringify(entry)}\n`);
  }

  /** Runs one stage, which counts its own numbers, and says how long it took. */
  async stage(name, work) {
    const started = Date.now();
    const before = this.#all.length;
    await work().catch((error) => {
      for (const line of error.message.split('\n')) this.say(name, line);
      this.fail(name, [{ title: 'broke off', reason: error.message }]);
    });
    const numbers = sum(this.#all.slice(before));
    this.#ended(name, numbers, secondsSince(started));
    return numbers.failed === 0;
  }

  /** Says the numbers that `work` returns and how long it took; counting them is up to the caller. */
  async timed(name, work) {
    const started = Date.now();
    const numbers = await work();
    const seconds = secondsSince(started);
    if (numbers.failed === 0) this.durations[name] = Math.round(seconds);
    this.#ended(name, numbers, seconds);
    return numbers;
  }

  #ended(name, numbers, seconds) {
    this.#times.push({ name, seconds });
    this.say(name, `${numbersText(numbers)} (${seconds.toFixed(1)} s)`);
  }

  /** Says how long each step took, what failed and what was flaky, and returns the exit code. */
  end() {
    this.say(
      'seconds',
      timesText([...this.#times, { name: 'the run', seconds: secondsSince(this.#started) }]),
    );
    const total = sum(this.#all);
    for (const { name, title, reason } of this.#failed) {
      this.say(name, `FAILED: ${title}`);
      for (const line of reason.split('\n')) this.say(name, `  ${line}`);
    }
    for (const flake of this.#flakes) process.stdout.write(`${flakeText(flake)}\n`);
    for (const line of lastLines(total, this.#flakes.length)) process.stdout.write(`${line}\n`);
    return total.failed === 0 ? 0 : 1;
  }
}

const secondsSince = (started) => (Date.now() - started) / 1000;

/** So many at a time, in their order. */
export async function inLanes(count, work, run) {
  const left = [...work];
  const lane = async () => {
    for (let next = left.shift(); next; next = left.shift()) await run(next);
  };
  await Promise.all(Array.from({ length: count }, lane));
}
