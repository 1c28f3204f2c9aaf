/** One bundle of options of a rental that are asked for one after the other, on one screen. */
export { loginOption } from '../../src/features/rent/loginOption';
export { onstartOption } from '../../src/features/rent/onstartOption';
