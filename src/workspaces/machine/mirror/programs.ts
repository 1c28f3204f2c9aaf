import alone from '../../../ssh/alone.sh';
import lock from '../../../ssh/lock.sh';
import { assembled, withoutComments } from '../../../ssh/shellProgram';
import look from './look.sh';
import place from './place.sh';
import send from './send.sh';

const parts = { 'alone.sh': alone, 'lock.sh': lock, 'place.sh': place };
const program = (source: string) => withoutComments(assembled(source, parts));

/** The programs that a login of the mirror runs; their arguments are set before them. */
export const mirrorPrograms = { look: program(look), place: program(place), send: program(send) } as const;
