// Every enlarged head is in the page already; a click shows another one.
document.querySelectorAll('.layer').forEach(layer => {
  const buttons = layer.querySelectorAll('.heads button'), big = layer.querySelectorAll('.enlarged');
  buttons.forEach((button, k) => button.addEventListener('click', () => {
    buttons.forEach((b, j) => b.setAttribute('aria-pressed', j === k));
    big.forEach((b, j) => b.hidden = j !== k);
  }));
});
