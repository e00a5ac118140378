"""`spit-referee web`: open the pages to the local network with a PIN, or close them again."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.options import ConfigOption
from referee.settings import Settings, load_settings, table_file

if TYPE_CHECKING:
    from referee.web.access import Access

web = typer.Typer(help="Who may see the pages: this machine alone (as at first), or the local network with a PIN.")


@web.command("open")
def open_(
    new_pin: Annotated[bool, typer.Option("--new-pin", help="Another PIN: everybody has to sign in again.")] = False,
    config: ConfigOption = None,
) -> None:
    """Open the pages to the local network; prints address, PIN and QR code. A running referee follows at once."""
    from referee.errors import SettingsError
    from referee.web.access import fresh_access, load_access, save_access

    settings, path = _place(config)
    try:
        access = load_access(path)
    except SettingsError:  # damaged: made anew
        access = fresh_access(open_=False)
    if new_pin or not access.open:
        access = fresh_access(open_=True)
        save_access(access, path)
    show_access(access, settings.web.port)


@web.command()
def close(config: ConfigOption = None) -> None:
    """Show the pages on this machine only; everybody who was signed in is out."""
    from referee.web.access import fresh_access, save_access

    settings, path = _place(config)
    save_access(fresh_access(open_=False), path)
    typer.echo(f"Closed: the pages are for this machine only, http://localhost:{settings.web.port}/")


@web.command()
def show(config: ConfigOption = None) -> None:
    """Say who may see the pages, and print address, PIN and QR code again."""
    from referee.web.access import load_access

    settings, path = _place(config)
    show_access(load_access(path), settings.web.port)


def show_access(access: "Access", port: int) -> None:
    """Print where the pages are and how to come in."""
    from referee.web.addresses import page_addresses, qr_text, sign_in_address

    addresses = page_addresses(port, access.open)
    if not access.open:
        typer.echo(f"The pages are for this machine only: {addresses[0]}  (`spit-referee web open` opens them)")
        return
    typer.echo(f"The pages are open to the local network: {' or '.join(addresses)}")
    typer.echo(f"PIN {access.pin[:3]} {access.pin[3:]}")
    typer.echo(qr_text(sign_in_address(addresses[0], access.pin)))
    typer.echo("Scan it with a phone in the same network while the referee runs.")


def _place(config: Path | None) -> tuple[Settings, Path]:
    from referee.web.access import access_file

    settings = load_settings(config).settings
    return settings, access_file(table_file(settings))
