import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Figure } from './figure';

const root = path.resolve(__dirname, '..', '..');
const layers = ['typecheck', 'lint', 'unit', 'contract', 'feature', 'machines', 'editor', 'ui'];

/** Tests and seconds of each layer, one after the other. */
export async function measureTests(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const layer of layers) {
    figures.push(await measureLayer(layer));
  }
  return figures;
}

async function measureLayer(layer: string): Promise<Figure> {
  const started = Date.now();
  const child = spawn(process.execPath, [path.join('scripts', 'test.mjs'), '--only', layer], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    output = (output + piece).slice(-10_000);
  });
  await once(child, 'close');
  const seconds = (Date.now() - started) / 1000;
  return {
    name: `tests: ${layer} alone`,
    value: `${output.trim().split('\n').at(-1) ?? ''}, ${seconds.toFixed(0)} s`,
  };
}
