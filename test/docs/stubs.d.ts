// As much of packages that are not installed here as blocks of code in the documentation use.

declare module 'react' {
  export function useEffect (effect: () => void | (() => void), dependencies?: readonly unknown[]): void
  export function useRef<Value> (initial: Value | null): { current: Value | null }
}

declare module 'react/jsx-runtime' {
  export namespace JSX {
    type Element = unknown
    interface IntrinsicElements { div: { ref?: { current: HTMLDivElement | null } } }
  }
}
