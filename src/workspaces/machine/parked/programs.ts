import { assembled, withoutComments } from '../../../ssh/shellProgram';
import fetch from './fetch.sh';
import hash from './hash.sh';
import hold from './hold.sh';
import leave from './leave.sh';
import list from './list.sh';
import name from './name.sh';
import part from './part.sh';
import ready from './ready.sh';
import take from './take.sh';
import tools from './tools.sh';

const program = (source: string) =>
  withoutComments(assembled(source, { 'part.sh': part, 'tools.sh': tools }));

/** The programs that a login runs; `parkedCall.ts` sets their variables before them. */
export const parkedPrograms = {
  fetch: program(fetch),
  hash: program(hash),
  hold: program(hold),
  leave: program(leave),
  list: program(list),
  name: program(name),
  ready: program(ready),
  take: program(take),
} as const;
