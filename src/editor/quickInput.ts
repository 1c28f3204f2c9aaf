import * as vscode from 'vscode';
import { asCaller } from '../util/acting';
import { DisposableStore, MutableDisposable, toDisposable, type Disposable } from '../util/disposable';
import { isCancelled } from '../util/errors';
import { reasonOf } from './localize';
import type { Level } from './quickLevels';
import { QuickList } from './quickList';
import { QuickText } from './quickText';
import { windowParts } from './windowParts';

type Shown = QuickList | QuickText;

/* eslint-disable house/module-state -- The inputs share the one place in which the editor shows an input. */
/** The inputs that an interrupting flow covers. */
let interruption: { readonly covered: (() => void)[] } | undefined;
/** How many messages offer an interruption, and the inputs that are open. */
let offers = 0;
const openInputs = new Set<{ heedOffers(): void }>();
/* eslint-enable house/module-state */

/**
 * Runs something that offers an interruption by a message: until it ends, no open input closes because a click takes the
 * focus from it, since the editor would close it before the interruption begins.
 */
export async function offeringInterruption<T>(run: () => PromiseLike<T>): Promise<T> {
  const change = (by: number) => {
    offers += by;
    openInputs.forEach((input) => input.heedOffers());
  };
  change(1);
  try {
    return await run();
  } finally {
    change(-1);
  }
}

/** Runs questions that may cover an open input; the input returns unchanged after the last of them. */
export async function interrupting<T>(run: () => Promise<T>): Promise<T> {
  const outer = interruption;
  const covered: (() => void)[] = [];
  interruption = { covered };
  try {
    return await run();
  } finally {
    interruption = outer;
    covered.forEach((comeBack) => {
      comeBack();
    });
  }
}

/**
 * Asks questions in levels, each a list or a text box. `open` shows the first level, `push` a deeper one, and Back or
 * `pop` returns to the level before, with its typed text and active row. `close` ends the input with the answer; Escape
 * ends it at any level without one. `refresh` renews texts and rows, and `work` keeps the input busy.
 */
export class QuickInput<A = never> {
  private readonly owned = new DisposableStore();
  private readonly tick = this.owned.add(new MutableDisposable<Disposable>());
  private readonly stop = new AbortController();
  private readonly levels: { readonly shown: Shown; readonly owned: DisposableStore }[] = [];
  private readonly within = interruption;
  private readonly forCaller = asCaller();
  private settle: { resolve(answer: A | undefined): void; reject(error: unknown): void } | undefined;
  private isWorking = false;
  private isAway = false;

  open(level: Level, signal?: AbortSignal): Promise<A | undefined> {
    return new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
      openInputs.add(this);
      const close = () => this.close();
      if (signal?.aborted) {
        close();
        return;
      }
      signal?.addEventListener('abort', close, { once: true });
      this.owned.add(toDisposable(() => signal?.removeEventListener('abort', close)));
      this.push(level);
    });
  }

  close(answer?: A): void {
    this.dropAccept();
    openInputs.delete(this);
    this.stop.abort();
    this.levels.splice(0).forEach(({ owned }) => owned.dispose());
    this.owned.dispose();
    this.settle?.resolve(answer);
  }

  push(level: Level): void {
    this.dropAccept();
    const shown = 'rows' in level ? new QuickList(level) : new QuickText(level, (run) => this.work(run));
    const { widget } = shown;
    const owned = new DisposableStore();
    owned.add(widget);
    owned.add(widget.onDidAccept(() => this.forCaller(() => shown.accept())));
    owned.add(widget.onDidChangeValue((value) => shown.typed(value)));
    owned.add(widget.onDidTriggerButton((button) => this.forCaller(() => this.press(level, button))));
    owned.add(widget.onDidHide(() => this.hidden(shown)));
    widget.step = level.step;
    widget.totalSteps = level.totalSteps;
    const hasBack = this.levels.length > 0 || level.back !== undefined;
    widget.buttons = [...(hasBack ? [vscode.QuickInputButtons.Back] : []), ...(level.buttons ?? [])];
    this.levels.push({ shown, owned });
    this.show(shown);
  }

  /** Returns to the level before; does nothing at the first level. */
  pop(): void {
    const before = this.levels.at(-2);
    if (before) {
      this.dropAccept();
      const closed = this.levels.pop();
      this.show(before.shown);
      closed?.owned.dispose();
    }
  }

  /** Renews texts and rows, and activates the given row. */
  refresh(activeId?: string): void {
    const { top } = this;
    this.renewTexts();
    if (top instanceof QuickList && !top.level.many) {
      top.renew(activeId);
    }
  }

  /** Replaces the typed text, as if the user typed it. */
  type(value: string): void {
    const { top } = this;
    if (top) {
      top.widget.value = value;
      top.typed(value);
    }
  }

  heedOffers(): void {
    const { top } = this;
    if (top) {
      top.widget.ignoreFocusOut = offers > 0 || (top.level.ignoreFocusOut ?? false);
    }
  }

  isTop(level: Level): boolean {
    return this.top?.level === level;
  }

  /** Runs one task at a time. The box stays enabled, because a disabled box would lose the focus. */
  async work(run: (signal: AbortSignal) => unknown): Promise<void> {
    if (this.isWorking) {
      return;
    }
    this.setWorking(true);
    try {
      await run(this.stop.signal);
    } catch (error) {
      this.showError(error);
    } finally {
      this.setWorking(false);
      if (this.isAway) {
        this.comeBack();
      }
    }
  }

  private get top(): Shown | undefined {
    return this.levels.at(-1)?.shown;
  }

  private show(shown: Shown): void {
    const { level, widget } = shown;
    this.renewTexts();
    const line = level.line?.();
    if (line !== undefined) {
      widget.value = line;
    }
    if (shown instanceof QuickList) {
      shown.fill();
    }
    this.comeBack();
  }

  private comeBack(): void {
    const { top } = this;
    this.isAway = false;
    this.heedOffers();
    top?.widget.show();
    if (top instanceof QuickList) {
      top.level.guard?.shown();
    }
  }

  /** Drops a pending accept. */
  private dropAccept(): void {
    const { top } = this;
    if (top instanceof QuickList) {
      top.level.guard?.hidden();
    }
  }

  private hidden(shown: Shown): void {
    if (shown !== this.top) {
      return;
    }
    if (interruption && interruption !== this.within) {
      this.dropAccept();
      interruption.covered.push(() => this.comeBack());
    } else if (this.isWorking && shown instanceof QuickText && shown.level.keepsWorking) {
      this.isAway = true;
    } else {
      this.close();
    }
  }

  private setWorking(isWorking: boolean): void {
    this.isWorking = isWorking;
    if (this.top) {
      this.top.widget.busy = isWorking;
    }
  }

  private showError(error: unknown): void {
    const { top } = this;
    const failure = top instanceof QuickText ? (top.level.failure ?? reasonOf)(error) : undefined;
    if (top instanceof QuickText && failure !== undefined) {
      top.widget.validationMessage = failure;
    } else {
      if (!isCancelled(error)) {
        this.settle?.reject(error);
      }
      this.close();
    }
  }

  private renewTexts(): void {
    const { top } = this;
    if (!top) {
      return;
    }
    top.widget.title = top.level.title;
    const isCounting = top.setTexts();
    this.tick.value = isCounting ? windowParts().clock.schedule(() => this.renewTexts(), 1000) : undefined;
  }

  private press(level: Level, button: vscode.QuickInputButton): void {
    if (button !== vscode.QuickInputButtons.Back) {
      level.buttons?.find((one) => one === button)?.run();
    } else if (this.levels.length > 1) {
      this.pop();
    } else {
      level.back?.();
    }
  }
}
