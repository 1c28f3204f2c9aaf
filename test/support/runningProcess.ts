import { runProgram } from '../../src/ssh/run';

/** Runs a program until that ends or this process is killed, as an extension host does. */
const [program = '', ...args] = process.argv.slice(2);
void runProgram(program, args, { endsWithUs: true });
