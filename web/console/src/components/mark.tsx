export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect class="mark-ground" x="2" y="2" width="28" height="28" rx="8" />
      <rect class="mark-line" x="8" y="10" width="16" height="13" rx="4" />
      <path class="mark-line" d="M16 10V6.5M13 16.5h.01M19 16.5h.01" />
    </svg>
  );
}
