import { text, type Text } from '../../util/text';
import type { Serving } from './servingLog';

/** Returns what a model does now, such as `loading weights`. */
export function servingText({ stage }: Serving): Text {
  switch (stage) {
    case 'preparing':
      return text('preparing');
    case 'downloading':
      return text('downloading');
    case 'loading':
      return text('loading weights');
    case 'compiling':
      return text('compiling');
    case 'answering':
      return text('waiting for its first answer');
    case 'ready':
      return text('ready');
    case 'ended':
      return text('ended');
  }
}
