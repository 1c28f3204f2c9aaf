import { gpuUseFields, readGpuUse, type GpuReading } from '../model/instances/gpuReading';
import type { Clock } from '../util/clock';
import { UserError } from '../util/errors';
import { text } from '../util/text';
import { plainText } from './plainText';
import type { SshService } from './service';

/** A driver that hangs is ended where the image has `timeout`, and the login after the limit. */
const script = `limit=""
command -v timeout >/dev/null 2>&1 && limit="timeout 20"
$limit nvidia-smi --query-gpu=${gpuUseFields} --format=csv,noheader,nounits
`;
const timeoutMs = 40_000;

/** Logs in once and reads what each GPU does now. The entry must be prepared. */
export async function readGpus(
  ssh: Pick<SshService, 'exec'>,
  alias: string,
  { clock, signal }: { readonly clock: Pick<Clock, 'now'>; readonly signal: AbortSignal },
): Promise<GpuReading> {
  const { stdout, stderr } = await ssh.exec(alias, script, { signal, timeoutMs, isLook: true });
  const gpus = readGpuUse(stdout);
  if (gpus.length === 0) {
    const last = stderr.trim().split('\n').at(-1) ?? '';
    throw new UserError(text('The machine did not report its GPUs: {0}', plainText(last) || '–'), {
      nextStep: 'retry',
    });
  }
  return { at: clock.now(), gpus };
}
