import { assembled, withoutComments } from '../../../ssh/shellProgram';
import fetch from './fetch.sh';
import hash from './hash.sh';
import list from './list.sh';
import tools from './tools.sh';

const program = (source: string) => withoutComments(assembled(source, { 'tools.sh': tools }));

/** The programs that a login runs; `parkedCall.ts` sets their variables before them. */
export const parkedPrograms = {
  fetch: program(fetch),
  hash: program(hash),
  list: program(list),
} as const;
