import * as z from 'zod';
import { id, successAnswer } from './field';

/** The answer of PUT commands/rsync (docs/service/commands.md#copy-to-this-computer). */
export const copyHost = successAnswer.extend({ src_addr: z.string().trim().min(1), src_port: id });
