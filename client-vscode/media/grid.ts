/** Keys in a grid of results: one place of it is in the tab order, the arrow keys move that place. */

export interface GridParts {
	/** Up from the first row, or Escape. */
	readonly out: () => void;
	readonly moved: () => void;
	/** A key on a result itself; true when it was of use. */
	readonly pressed: (id: number, event: KeyboardEvent) => boolean;
}

const STOPS = ".main, .tools button, .why";

export class Grid {
	/** The result in the tab order. */
	at: number | undefined;

	constructor(
		private readonly list: HTMLElement,
		private readonly parts: GridParts,
	) {
		list.addEventListener("keydown", (event) => this.key(event));
		list.addEventListener("focusin", ({ target }) => this.take(target as HTMLElement));
	}

	/** Sees to it that exactly one place is in the tab order, after the rows have changed. */
	settle(): void {
		const rows = this.rows();
		const row = rows.find(({ dataset }) => Number(dataset.id) === this.at) ?? rows[0];
		const active = document.activeElement;
		const stop =
			active instanceof HTMLElement && row?.contains(active) ? active : row?.querySelector<HTMLElement>(".main");
		this.mark(stop ?? undefined);
		this.at = row && Number(row.dataset.id);
	}

	/** Puts the focus on a result: the one in the tab order, where none is named. */
	enter(id = this.at): void {
		const rows = this.rows();
		const row = rows.find(({ dataset }) => Number(dataset.id) === id) ?? rows[0];
		row?.querySelector<HTMLElement>(".main")?.focus();
	}

	private rows(): HTMLElement[] {
		return [...this.list.children] as HTMLElement[];
	}

	private take(target: HTMLElement): void {
		const row = target.closest<HTMLElement>("[data-id]");
		if (row && target.matches(STOPS)) {
			this.mark(target);
			this.at = Number(row.dataset.id);
			this.parts.moved();
		}
	}

	private mark(stop: HTMLElement | undefined): void {
		for (const other of this.list.querySelectorAll<HTMLElement>(STOPS)) {
			other.tabIndex = other === stop ? 0 : -1;
		}
	}

	private key(event: KeyboardEvent): void {
		const target = event.target as HTMLElement;
		const row = target.closest<HTMLElement>("[data-id]");
		if (!row || !target.matches(STOPS) || event.altKey || event.isComposing) {
			return;
		}
		if (
			this.move(event, row, target) ||
			(target.matches(".main") && this.parts.pressed(Number(row.dataset.id), event))
		) {
			event.preventDefault();
			event.stopPropagation();
		}
	}

	private move({ key, ctrlKey, metaKey }: KeyboardEvent, row: HTMLElement, target: HTMLElement): boolean {
		const rows = this.rows();
		const stops = [...row.querySelectorAll<HTMLElement>(STOPS)];
		const [line, column] = [rows.indexOf(row), stops.indexOf(target)];
		if (ctrlKey || metaKey) {
			return false;
		}
		switch (key) {
			case "ArrowDown":
				return this.to(rows[line + 1], target);
			case "ArrowUp":
				return line === 0 ? this.leave() : this.to(rows[line - 1], target);
			case "ArrowRight":
				return focus(stops[column + 1]);
			case "ArrowLeft":
				return focus(stops[column - 1]);
			case "Home":
				return this.to(rows[0]);
			case "End":
				return this.to(rows.at(-1));
			case "Escape":
				return this.leave();
			default:
				return false;
		}
	}

	/** To another row, and there to the button that does the same, where it has one. */
	private to(row: HTMLElement | undefined, like?: HTMLElement): boolean {
		const label = like?.matches("button") ? like.getAttribute("aria-label") : undefined;
		const buttons = [...(row?.querySelectorAll<HTMLElement>(".tools button") ?? [])];
		const same = label ? buttons.find((one) => one.getAttribute("aria-label") === label) : undefined;
		return focus(same ?? row?.querySelector<HTMLElement>(".main") ?? undefined);
	}

	private leave(): boolean {
		this.parts.out();
		return true;
	}
}

function focus(stop: HTMLElement | undefined): boolean {
	stop?.focus();
	stop?.scrollIntoView({ block: "nearest" });
	return true;
}
