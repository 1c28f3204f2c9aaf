import type { SshService } from '../../ssh/service';
import { startHeld, type HeldProgram } from './heldProgram';
import script from './tensorBoard.sh';

/** That of the image runs at this port. */
export const imagePort = 16_006;
/** It imports for long on a slow disk. */
const startMs = 120_000;

export type TensorBoardAnswer =
  /** The one of the image shows the folder already. */
  | { readonly kind: 'image' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'noFolder' }
  | { readonly kind: 'started'; readonly port: number };

/** Shows a folder, relative to the home folder unless it is absolute, in a TensorBoard that ends with the result. */
export function startTensorBoard(
  ssh: Pick<SshService, 'exec'>,
  alias: string,
  dir: string,
  signal?: AbortSignal,
): Promise<HeldProgram<TensorBoardAnswer>> {
  const wanted = { script, variables: { dir }, read: tensorBoardAnswer, startMs, isLook: true };
  return startHeld(ssh, alias, wanted, signal);
}

const answers = { runs: 'image', missing: 'missing', 'no-folder': 'noFolder' } as const;

/** Of the text of the program, only a port is used. */
export function tensorBoardAnswer(output: string): TensorBoardAnswer | undefined {
  const [, word] = /^(runs|missing|no-folder)\n/.exec(output) ?? [];
  if (word !== undefined) {
    return { kind: answers[word as keyof typeof answers] };
  }
  const port = Number(/http:\/\/(?:127\.0\.0\.1|localhost):(\d{1,5})\/(?=[\s(]|$)/m.exec(output)?.[1]);
  return port > 0 && port < 65_536 ? { kind: 'started', port } : undefined;
}
