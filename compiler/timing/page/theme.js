// Dark or light: the system's choice until the button is pressed, or until a page that shows this one in a frame sets
// data-theme.
const root = document.documentElement;
const themeListeners = [];
const systemDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : systemDark.matches;
const themeChanged = () => themeListeners.forEach(listener => listener());
document.getElementById("theme").addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
});
new MutationObserver(themeChanged).observe(root, {attributeFilter: ["data-theme"]});
systemDark.addEventListener("change", themeChanged);
