import type { Clock } from '../util/clock';
import { InputTakenError } from './answer';
import gpuProbe from './gpuProbe.sh';
import lock from './lock.sh';
import { whyNoLogin, type Failure } from './preflight';
import { parseProof, proofGreeting, type ProofAnswer } from './proofText';
import type { SshService } from './service';
import { assembled } from './shellProgram';

export type ProbeAnswer =
  | ProofAnswer
  /** The stage that was not reached, and why. */
  | { readonly kind: 'noLogin'; readonly failure: Failure };

const probeScript = assembled(gpuProbe, { 'lock.sh': lock });

/**
 * The probe of a machine that its user works with: it measures no disk, and asks why clocks are lowered
 * (docs/proof.md#while-it-runs).
 */
export const probeAgainScript = `again=yes\n${probeScript}`;

/** The script ends within nine seconds; the rest is for a slow login (ms). */
const timeoutMs = 40_000;

/**
 * Logs in once and identifies the machine (docs/proof.md). The entry must be prepared. Throws `HostKeyError` like
 * `exec`.
 */
export async function probeGpus(
  ssh: Pick<SshService, 'exec'>,
  alias: string,
  {
    clock,
    signal,
    isAgain = false,
    also = '',
    onAlso = () => undefined,
    onLogin = () => undefined,
  }: {
    readonly clock: Pick<Clock, 'now'>;
    readonly signal?: AbortSignal | undefined;
    /** True for a machine that was probed when it started. */
    readonly isAgain?: boolean;
    /** A script for the same login, after the probe, to spare another one. */
    readonly also?: string;
    /** Called with the output of both. */
    readonly onAlso?: (output: string) => void;
    /** Called after the login, when the GPUs are about to be queried. */
    readonly onLogin?: () => void;
  },
): Promise<ProbeAnswer> {
  let output = '';
  const onStdout = (piece: string) => {
    const before = output.includes(proofGreeting);
    output = before ? output : (output + piece).slice(-100_000);
    if (!before && output.includes(proofGreeting)) {
      onLogin();
    }
  };
  try {
    const script = `${isAgain ? probeAgainScript : probeScript}\n${also}`;
    const result = await ssh.exec(alias, script, { signal, timeoutMs, onStdout, isLook: true });
    onAlso(result.stdout);
    return parseProof(result.stdout, clock.now()) ?? { kind: 'noLogin', failure: whyNoLogin(result) };
  } catch (error) {
    if (error instanceof InputTakenError) {
      const detail = error.message;
      return { kind: 'noLogin', failure: { ok: false, problem: 'startupScript', detail, keysTried: [] } };
    }
    throw error;
  }
}
